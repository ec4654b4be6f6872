import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import type { Readable } from 'node:stream'
import { expect, test } from 'vitest'
import { limitMessages } from './launch-chromium.ts'

/** Writes the given message to file descriptor 4, then waits to be killed. */
const program = `
  require('node:fs').writeSync(4, eval(process.argv[1]))
  setInterval(() => undefined, 1000)`

function start(what: string, mark: string): ChildProcess {
  return spawn(process.execPath, ['-e', program, what, mark], {
    stdio: ['ignore', 'inherit', 'inherit', 'pipe', 'pipe'],
  })
}

function launch(what: string, named = 'mark-1'): Promise<{ child: ChildProcess; close(): Promise<void> }> {
  const launched = (): Promise<{ child: ChildProcess; close(): Promise<void> }> => {
    const child = start(what, 'mark-1')
    const close = async (): Promise<void> => {
      const ended = once(child, 'exit')
      child.kill()
      await ended
    }
    return Promise.resolve({ child, close })
  }
  return limitMessages(named, launched, 30_000)
}

test('a process that begins a message without end is ended', async () => {
  const { child } = await launch(`'x'.repeat(40_000)`)
  expect(await once(child, 'exit')).toEqual([null, 'SIGKILL'])
})

test('many small messages are not limited', async () => {
  const { child, close } = await launch(`('x'.repeat(20_000) + '\\0').repeat(3)`)
  let length = 0
  for await (const bytes of child.stdio[4] as Readable) if ((length += (bytes as Buffer).length) === 60_003) break
  expect(child.signalCode).toBeNull()
  await close()
})

test('one that is not found is ended', async () => {
  await expect(launch(`''`, 'another')).rejects.toThrow('its process was not found')
})
