import { setImmediate } from 'node:timers/promises'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { createSubscriber } from './subscriber.ts'

let clock = 0
let waits: number[]
let written: string[]
beforeEach(() => {
  // Starts after the last flush of the previous test.
  clock = Math.max(clock + 100, performance.now())
  waits = []
  written = []
  vi.spyOn(performance, 'now').mockImplementation(() => clock)
  vi.spyOn(globalThis, 'setTimeout').mockImplementation(((work: () => void, wait: number) => {
    waits.push(wait)
    clock += wait
    void setImmediate().then(work)
  }) as typeof setTimeout)
})
afterEach(() => vi.restoreAllMocks())

function reader(writeMs: number) {
  const sink = {
    write(text: string) {
      clock += writeMs
      written.push(text)
      return 0
    },
    onDrain: () => undefined,
    cut: () => undefined,
    end: () => undefined,
  }
  const nothing = { events: [], upTo: 0, complete: true }
  const subscriber = createSubscriber(
    sink,
    { after: 0, untilWaiting: false },
    { recent: () => nothing, read: () => Promise.resolve(nothing), over: () => false, closed: () => undefined },
  )
  subscriber.wake()
  return subscriber
}

async function waitBetween(writeMs: number): Promise<number | undefined> {
  const subscriber = reader(writeMs)
  await setImmediate()
  subscriber.push(1, 'first')
  await setImmediate()
  await setImmediate()
  subscriber.push(2, 'second')
  subscriber.push(3, ', third')
  await setImmediate()
  await setImmediate()
  expect(written).toEqual(['first', 'second, third'])
  return waits.at(-1)
}

test('simultaneous chunks are sent in one write, at most every 25 ms', async () => {
  expect(await waitBetween(0.1)).toBeCloseTo(24.9)
})

test('slow writes take at most a twentieth of the time', async () => {
  expect(await waitBetween(3)).toBeCloseTo(57)
})

test('no client waits for it longer than 100 ms', async () => {
  expect(await waitBetween(40)).toBeCloseTo(60)
})
