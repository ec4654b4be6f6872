import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'

let folder: string

beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'troupe set-up '))
})

afterEach(() => rmSync(folder, { recursive: true, force: true }))

describe('the lock of set-up', () => {
  test('lets one process in at a time', async () => {
    const log = path.join(folder, 'log')
    await Promise.all(
      Array.from({ length: 5 }, () => runLocked(folder, `await record('in'); await record('out')`, log)),
    )
    expect(readFileSync(log, 'utf8')).toBe('in out '.repeat(5))
  })

  test('is taken over from an ended process', async () => {
    const child = spawn('sleep', ['0'])
    await once(child, 'exit')
    mkdirSync(path.join(folder, 'lock'))
    writeFileSync(path.join(folder, 'lock', 'pid'), String(child.pid))
    const log = path.join(folder, 'log')
    await runLocked(folder, `await record('in')`, log)
    expect(readFileSync(log, 'utf8')).toBe('in ')
    expect(existsSync(path.join(folder, 'lock'))).toBe(false)
  })
})

describe('counting tests', () => {
  test('a file that fails outside of its tests counts as one failure', async () => {
    const { countTests } = (await import(new URL('lib/vitest.mjs', import.meta.url).href)) as {
      countTests(report: unknown): unknown
    }
    const file = (status: string, ...tests: string[]) => ({
      status,
      assertionResults: tests.map((each) => ({ status: each })),
    })
    const testResults = [
      file('passed', 'passed', 'skipped', 'todo'),
      file('failed', 'passed', 'failed'),
      file('failed'),
    ]
    expect(countTests({ testResults })).toEqual({ passed: 2, failed: 2, skipped: 2 })
    expect(countTests(undefined)).toEqual({ passed: 0, failed: 0, skipped: 0 })
  })
})

async function runLocked(where: string, work: string, log: string): Promise<void> {
  const module = new URL('lib/lock.mjs', import.meta.url).href
  const program = `
    import { appendFileSync } from 'node:fs'
    import { setTimeout as delay } from 'node:timers/promises'
    import { withLock } from ${JSON.stringify(module)}
    const record = async (word) => { appendFileSync(${JSON.stringify(log)}, word + ' '); await delay(20) }
    await withLock(${JSON.stringify(path.join(where, 'lock'))}, async () => { ${work} })`
  await promisify(execFile)(process.execPath, ['--input-type=module', '-e', program], {
    cwd: fileURLToPath(new URL('..', import.meta.url)),
  })
}
