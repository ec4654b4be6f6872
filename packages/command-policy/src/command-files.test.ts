import { mkdirSync, mkdtempSync, realpathSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { commandWrites } from './command-files.ts'

const cwd = realpathSync(mkdtempSync(path.join(tmpdir(), 'troupe-writes-')))
mkdirSync(path.join(cwd, 'sub'))
afterAll(() => rmSync(cwd, { recursive: true }))

test.each([
  ['echo x > a.txt', ['a.txt'], false],
  ['cd sub && printf 1 >> n.txt && ls', ['sub/n.txt'], false],
  ['cat <<END > a.txt\nx $HOME\nEND', ['a.txt'], false],
  ['echo x > a.txt; echo x > "$1"', ['a.txt'], true],
  ['touch a.txt $(ls)', ['a.txt'], true],
  ["sed -i 's/a/b/' a.txt", ['a.txt'], false],
  ['rm -r sub old.txt', ['sub', 'old.txt'], false],
  ['cp a.txt sub/b.txt', ['sub/b.txt'], false],
  ['make > log.txt', ['log.txt'], true],
  ['npm run build', [], true],
  ['ls -l 2> /dev/null', [], false],
])('%s', (command, files, mayBeMore) => {
  const writes = commandWrites(command, { cwd, home: '/nowhere' })
  expect(writes).toEqual({ paths: files.map((file) => path.join(cwd, file)), mayBeMore })
})

test('files in memory are files, devices are not', () => {
  const { paths } = commandWrites('echo x > /dev/shm/a.txt; echo x > /dev/sda', { cwd, home: '/nowhere' })
  expect(paths).toEqual(['/dev/shm/a.txt'])
})
