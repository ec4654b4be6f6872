import { execFileSync, spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { testToolContext } from '../testing/test-tool-context.ts'
import edit from '../tools/edit.ts'
import read from '../tools/read.ts'
import { copyAttributes } from './atomic-write.ts'

const python = (code: string, ...args: string[]): string =>
  execFileSync('python3', ['-c', `import os, sys\n${code}`, ...args], { encoding: 'utf8' })
/** Node can neither set nor read extended attributes. */
const canTry =
  process.platform === 'linux' &&
  spawnSync('python3', [
    '-c',
    'import os, tempfile\nwith tempfile.NamedTemporaryFile() as f: os.setxattr(f.name, "user.k", b"v")',
  ]).status === 0

function folder(): string {
  const made = mkdtempSync(path.join(tmpdir(), 'troupe-attributes-'))
  onTestFinished(() => rmSync(made, { recursive: true, force: true }))
  return made
}

test.skipIf(!canTry)('attributes of a file survive edits', async () => {
  const place = folder()
  const file = path.join(place, 'a "b" $(c).txt')
  writeFileSync(file, 'one\n', { mode: 0o640 })
  python('os.setxattr(sys.argv[1], "user.k", b"v")', file)
  const ctx = testToolContext({ workspace: { id: 'w', path: place } })
  await read.execute(read.input.parse({ file_path: file }), ctx)
  for (const [old_string, new_string] of [
    ['one', 'two'],
    ['two', 'three'],
  ])
    await edit.execute(edit.input.parse({ file_path: file, old_string, new_string }), ctx)
  expect(readFileSync(file, 'utf8')).toBe('three\n')
  expect(statSync(file).mode & 0o777).toBe(0o640)
  expect(python('print(os.getxattr(sys.argv[1], "user.k").decode())', file)).toBe('v\n')
})

test('attributes that cannot be copied are skipped, in order and without an error', async () => {
  const place = folder()
  const [there, other] = [path.join(place, 'there'), path.join(place, 'other')]
  for (const file of [there, other]) writeFileSync(file, 'x')
  await Promise.all([
    copyAttributes(path.join(place, 'gone'), there),
    copyAttributes(there, path.join(place, 'with\na line')),
    copyAttributes(there, other),
  ])
  expect(readFileSync(other, 'utf8')).toBe('x')
})
