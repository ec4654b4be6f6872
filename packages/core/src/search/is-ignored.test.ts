import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { isIgnored } from './search-query.ts'

let base: string
beforeAll(() => {
  base = realpathSync(mkdtempSync(path.join(tmpdir(), 'ignored-')))
  for (const folder of [
    'dist/deep',
    'src/deep',
    'all/project/src',
    'all/repository/.git',
    'all/repository/src',
    'all/repository/out/x',
  ]) {
    mkdirSync(path.join(base, folder), { recursive: true })
  }
  writeFileSync(path.join(base, '.gitignore'), 'dist/*\n')
  writeFileSync(path.join(base, 'all/.gitignore'), '*\n')
  writeFileSync(path.join(base, 'all/repository/.gitignore'), 'out/\n')
})
afterAll(() => rmSync(base, { recursive: true }))

test.each([
  ['src/deep', false],
  ['dist', false],
  ['dist/deep', true],
  ['all', false],
  ['all/project', true],
  ['all/project/src', true],
  ['all/repository', false],
  ['all/repository/src', false],
  ['all/repository/out', true],
  ['all/repository/out/x', true],
])('%s is ignored: %s', async (folder, ignored) => {
  expect(await isIgnored(path.join(base, folder))).toBe(ignored)
})
