import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { text } from 'node:stream/consumers'
import { expect, test } from 'vitest'
import { endCommand } from './processes.ts'

/** Prints when it is up and when it receives SIGTERM. */
async function startCommand() {
  const script = `trap 'echo asked; exit' TERM; echo up; sleep 60 & wait`
  const child = spawn('bash', ['-c', script], { detached: true, stdio: ['ignore', 'pipe', 'ignore'] })
  await once(child.stdout, 'readable')
  return { pid: child.pid as number, said: text(child.stdout), exited: once(child, 'exit') }
}

test('a command is asked to end, and has time to', async () => {
  const { pid, said, exited } = await startCommand()
  await endCommand({ pid })
  expect(await said).toBe('up\nasked\n')
  expect(await exited).toEqual([0, null])
})

test('a command without its own process group yet is ended, too', async () => {
  const child = spawn('sleep', ['60'], { stdio: 'ignore' })
  const exited = once(child, 'exit')
  await endCommand({ pid: child.pid as number })
  expect(await exited).toEqual([null, 'SIGTERM'])
})

test('a command without cleanup is ended at once', async () => {
  const { pid, said, exited } = await startCommand()
  await endCommand({ pid }, { atOnce: true })
  expect(await said).toBe('up\n')
  expect(await exited).toEqual([null, 'SIGKILL'])
})
