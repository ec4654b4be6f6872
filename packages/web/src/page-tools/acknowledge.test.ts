import { expect, test } from 'vitest'
import { ApiError } from '../api/request.ts'
import { acknowledge } from './page-tools.ts'

/** Plays these server responses in order and records the waits between. */
function play(...answers: number[]) {
  const waited: number[] = []
  let time = 0
  let sent = 0
  const send = () => {
    const status = answers[sent++] ?? 200
    return status === 200
      ? Promise.resolve()
      : Promise.reject(new ApiError(status, { name: status === 0 ? 'Unreachable' : 'Error', message: 'no' }))
  }
  const run = (until = 60_000) =>
    acknowledge(send, {
      until,
      now: () => time,
      wait: (ms) => {
        waited.push(ms)
        time += ms
        return Promise.resolve()
      },
    })
  return { run, waited, sent: () => sent }
}

test('a server that is away or fails is asked again, later and later', async () => {
  const server = play(0, 500, 503, 0)
  expect([await server.run(), server.sent(), server.waited]).toEqual([undefined, 5, [300, 1000, 3000, 9000]])
})

test.each([400, 403, 404, 409, 413, 429])('a refusal (%i) is final', async (status) => {
  const server = play(status)
  expect(await server.run()).toMatchObject({ status })
  expect([server.sent(), server.waited]).toEqual([1, []])
})

test('it ends when nothing waits any more', async () => {
  const server = play(...Array.from({ length: 50 }, () => 500))
  expect(await server.run(20_000)).toMatchObject({ status: 500 })
  expect(server.sent()).toBe(5)
})
