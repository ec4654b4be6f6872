import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { isClosed, type StartedCommand } from './start-command.ts'

test('output that waits in the pipe while the event loop stalls is not lost', async () => {
  const child = spawn('sleep', ['0.2'], { stdio: ['ignore', 'pipe', 'ignore'] })
  const folder = mkdtempSync(path.join(tmpdir(), 'troupe-late-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const mark = path.join(folder, 'printed')
  const printer = spawn('sh', ['-c', 'sleep 0.3; echo late; : > "$0"', mark], { stdio: ['ignore', 'pipe', 'ignore'] })
  let printed = 0
  printer.stdout.on('data', (bytes: Buffer) => (printed += bytes.length))
  await once(child, 'exit')
  const started = {
    pid: child.pid,
    closed: once(printer.stdout, 'close'),
    busy: false,
    get printed() {
      return printed
    },
  } as unknown as StartedCommand
  const asked = isClosed(started)
  setImmediate(() => {
    const until = performance.now() + 600
    while (performance.now() < until || (!existsSync(mark) && performance.now() < until + 20_000));
  })
  expect(await asked).toBe(true)
  expect(printed).toBe(5)
})
