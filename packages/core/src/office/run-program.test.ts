import { spawn } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { createInterface } from 'node:readline'
import { afterAll, expect, test } from 'vitest'
import { runProgram } from './run-program.ts'

const folder = mkdtempSync(path.join(tmpdir(), 'run-program-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const context = () => ({
  signal: new AbortController().signal,
  toolCallId: 'c1',
  run: { id: 'r1' },
  state: {},
  process: () => Promise.resolve(),
})

test('a program has its output and its exit code, and no input', async () => {
  const argv = ['/bin/sh', '-c', 'cat; echo "$1"; exit 3', 'sh', 'a b']
  const outcome = await runProgram(context(), { argv, folder, timeoutMs: 20_000 })
  expect(outcome).toEqual({ code: 3, output: 'a b\n', hasTimedOut: false })
})

test.each([false, true])(
  'a program and its children end when this process is killed; sandbox: %s',
  async (isConfined) => {
    const script = `
    import { findSandbox } from ${JSON.stringify(path.join(import.meta.dirname, '../sandbox/find-sandbox.ts'))}
    import { runProgram } from ${JSON.stringify(path.join(import.meta.dirname, 'run-program.ts'))}
    const ctx = { signal: new AbortController().signal, toolCallId: 'c1', run: { id: 'r1' }, state: ${isConfined} ? await findSandbox() : {} }
    const argv = ['/bin/sh', '-c', 'sleep 600 & sleep 600']
    await runProgram({ ...ctx, process: async (pid) => console.log(pid) }, { argv, folder: ${JSON.stringify(folder)}, timeoutMs: 600_000 })`
    const owner = spawn(process.execPath, ['--conditions=troupe-source', '--input-type=module', '-e', script], {
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    const [pid] = await new Promise<string[]>((resolve) =>
      createInterface(owner.stdout).once('line', (line) => resolve([line])),
    )
    const isAlive = (): boolean => {
      try {
        process.kill(-Number(pid), 0)
        return true
      } catch {
        return false
      }
    }
    expect(isAlive()).toBe(true)
    owner.kill('SIGKILL')
    await expect.poll(isAlive, { timeout: 20_000 }).toBe(false)
  },
)
