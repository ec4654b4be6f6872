import { chmodSync, chownSync, mkdirSync, mkdtempSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { privateTemporaryFolder } from './temporary-files.ts'

let within: string
let usual: string
beforeEach(() => {
  within = mkdtempSync(path.join(tmpdir(), 'troupe private '))
  usual = path.join(within, `troupe-${process.getuid?.() ?? 'user'}`)
})
afterEach(() => rmSync(within, { recursive: true, force: true }))

test('is the same one each time, and only ours', () => {
  expect(privateTemporaryFolder(within)).toBe(usual)
  expect(privateTemporaryFolder(within)).toBe(usual)
  expect(statSync(usual).mode & 0o777).toBe(0o700)
})

const others: [string, () => void][] = [
  ['a link', () => symlinkSync(mkdtempSync(path.join(within, 'elsewhere-')), usual)],
  ['a file', () => writeFileSync(usual, '')],
  ['a folder that others can open', () => (mkdirSync(usual), chmodSync(usual, 0o755))],
  ['a folder of somebody else', () => (mkdirSync(usual, { mode: 0o700 }), chownSync(usual, 12_345, 12_345))],
]

test.skipIf(process.getuid === undefined).each(others)('is not replaced by %s at its path', (name, make) => {
  if (name.includes('somebody') && process.getuid?.() !== 0) return
  make()
  const folder = privateTemporaryFolder(within)
  expect(folder).not.toBe(usual)
  expect(path.dirname(folder)).toBe(within)
  expect(statSync(folder).mode & 0o777).toBe(0o700)
})
