import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { startOwner, startProcess, type ServerProcess, type StartError } from './server-process.ts'

const rounds = process.env['TROUPE_TEST_FULL'] === '1' ? 10 : 1

let folder: string
const running: ServerProcess[] = []

beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'troupe-owners-'))
})

afterEach(async () => {
  for (const server of running.splice(0)) await server.kill('SIGKILL')
  rmSync(folder, { recursive: true, force: true })
})

function isRunning(started: ServerProcess | StartError): started is ServerProcess {
  if (!('pid' in started)) return false
  running.push(started)
  return true
}

describe('two processes on one home', () => {
  it(
    'never both own it, however many start at once, and kill -9 of the owner frees it at once',
    async () => {
      for (let round = 0; round < rounds; round++) {
        const started = await Promise.all(Array.from({ length: 5 }, () => startProcess(folder, folder)))
        const owners = started.filter(isRunning)
        expect(owners).toHaveLength(1)
        const refused = started.filter((one) => 'error' in one) as StartError[]
        expect(refused.map(({ error }) => error.name)).toEqual(Array.from({ length: 4 }, () => 'HomeOwned'))
        const [owner] = owners as [ServerProcess]
        await owner.kill('SIGKILL')
        const next = await startOwner(folder, folder)
        running.push(next)
        expect((await next.request('/health')).status).toBe(200)
        await next.kill('SIGKILL')
      }
    },
    rounds * 30_000,
  )

  it('tells the second where the first is', { timeout: 30_000 }, async () => {
    const owner = await startOwner(folder, folder)
    running.push(owner)
    const second = (await startProcess(folder, folder)) as StartError
    expect(second.error).toMatchObject({ name: 'HomeOwned', data: { owner: { url: owner.url, pid: owner.pid } } })
    expect(second.error.message).toContain(owner.url)
    expect(await owner.kill('SIGTERM')).toBe(0)
    const third = await startOwner(folder, folder)
    running.push(third)
  })
})
