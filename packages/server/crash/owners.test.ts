import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { type ServerProcess, type StartError, startOwner, startProcess } from './open-home.ts'

const full = process.env['TROUPE_TEST_FULL'] === '1'
const rounds = full ? 10 : 1
const starts = full ? 5 : 2

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
    'never both own it, for any number of starts; the owner is named, and its end frees the home at once, even by kill -9',
    async () => {
      for (let round = 0; round < rounds; round++) {
        const started = await Promise.all(Array.from({ length: starts }, () => startProcess(folder, folder)))
        const owners = started.filter(isRunning)
        expect(owners).toHaveLength(1)
        const refused = started.filter((one) => 'error' in one) as StartError[]
        expect(refused.map(({ error }) => error.name)).toEqual(Array.from({ length: starts - 1 }, () => 'HomeOwned'))
        const [owner] = owners as [ServerProcess]
        await owner.kill('SIGKILL')
        const next = await startOwner(folder, folder)
        running.push(next)
        expect((await next.request('/health')).status).toBe(200)
        if (round < rounds - 1) await next.kill('SIGKILL')
        else await tellsWhereItIs(next)
      }
    },
    30_000 + rounds * 30_000,
  )

  /** Checks that a second server gets the address of the first, and that the home is free once the first exits. */
  async function tellsWhereItIs(owner: ServerProcess): Promise<void> {
    const second = (await startProcess(folder, folder)) as StartError
    expect(second.error).toMatchObject({ name: 'HomeOwned', data: { owner: { url: owner.url, pid: owner.pid } } })
    expect(second.error.message).toContain(owner.url)
    expect(await owner.kill('SIGTERM')).toBe(0)
    running.push(await startOwner(folder, folder))
  }
})
