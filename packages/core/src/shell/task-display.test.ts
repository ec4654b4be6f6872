import { mkdtempSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { expect, test } from 'vitest'
import { createTask } from './command-task.ts'
import { readTask } from './task-display.ts'

test('a truncated file is not called complete', async () => {
  const outputFolder = mkdtempSync(path.join(tmpdir(), 'troupe-look-'))
  try {
    const open = createTask({
      kind: 'command',
      command: 'yes',
      confinement: 'none',
      pid: 1,
      startedAt: 0,
      ctx: { state: { outputFolder }, toolCallId: 'call' },
      stop: () => Promise.resolve(),
      spillBytes: 3 << 20,
    })
    await open.print('a'.repeat(2 << 20))
    expect(readTask(open.task, 0).text.slice(0, 200)).toContain('Everything is in ')
    expect(readTask(open.task, 0).spilled?.length).toBe(2 << 20)
    await open.print('b'.repeat(2 << 20))
    const look = readTask(open.task, 0)
    expect(look.text.slice(0, 300)).toContain('The file contains only the first 3 MiB; the rest was discarded.')
    expect(look.text.includes('Everything')).toBe(false)
    expect(look.spilled).toBeUndefined()
    await open.end(0)
    expect(statSync(open.task.spilled?.path ?? '').size).toBeLessThan((3 << 20) + 200)
  } finally {
    rmSync(outputFolder, { recursive: true })
  }
})
