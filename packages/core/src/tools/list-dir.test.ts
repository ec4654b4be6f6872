import { chmodSync, closeSync, mkdirSync, openSync, symlinkSync } from 'node:fs'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { cpuClock } from '../../../protocol/testing/test-effort.ts'
import { openTestWorkspace, type TestWorkspace } from '../testing/test-workspace.ts'
import listDir from './list-dir.ts'

let ws: TestWorkspace
beforeEach(() => {
  ws = openTestWorkspace()
})
afterEach(() => ws.close())

const text = async (input: object = {}): Promise<string> => (await ws.call(listDir, input)).text
const tree = async (input: object = {}): Promise<string> => (await text(input)).split('\n').slice(1).join('\n')

test('a folder is a tree of two levels, names in order', async () => {
  ws.put('b.txt', '')
  ws.put('src/deep/deeper/x.ts', '')
  ws.put('src/a.ts', '')
  ws.put('A.md', '')
  expect(await text()).toBe(`${ws.root}/\n  A.md\n  b.txt\n  src/\n    a.ts\n    deep/`)
  expect(await tree({ depth: 4 })).toBe('  A.md\n  b.txt\n  src/\n    a.ts\n    deep/\n      deeper/\n        x.ts')
  expect(await text({ path: 'src', depth: 1 })).toBe('src/\n  a.ts\n  deep/')
  const { output } = await ws.call(listDir, { depth: 2 })
  expect(listDir.display?.(output, listDir.input.parse({}))).toEqual({
    title: 'List .',
    summary: '5 entries',
    content: {
      kind: 'list',
      path: '.',
      left: 0,
      entries: [
        { name: 'A.md', kind: 'file', depth: 0 },
        { name: 'b.txt', kind: 'file', depth: 0 },
        { name: 'src', kind: 'folder', depth: 0 },
        { name: 'a.ts', kind: 'file', depth: 1 },
        { name: 'deep', kind: 'folder', depth: 1 },
      ],
    },
  })
})

test('ignore files are respected, nested ones too, and hidden entries are counted', async () => {
  ws.put('.gitignore', 'node_modules\n*.log\n/build/\n')
  ws.put('.git/config', '')
  ws.put('node_modules/x/index.js', '')
  ws.put('build/out.js', '')
  ws.put('src/build/kept.js', '')
  ws.put('src/.gitignore', '!important.log\nsecret.txt\n')
  ws.put('src/debug.log', '')
  ws.put('src/important.log', '')
  ws.put('src/secret.txt', '')
  ws.put('.ignore', 'hidden-from-search\n')
  ws.put('hidden-from-search', '')
  ws.put('.env', '')
  expect(await tree()).toBe(
    [
      '  .env',
      '  .gitignore',
      '  .ignore',
      '  src/',
      '    .gitignore',
      '    build/',
      '    important.log',
      '(6 ignored by version control are not shown.)',
    ].join('\n'),
  )
  expect(await tree({ all: true, depth: 1 })).toContain('  .git/\n')
  expect(await tree({ all: true, depth: 1 })).toContain('  node_modules/\n')
})

test('ignore rules above the listed folder apply, unless the folder itself is ignored and was requested', async () => {
  ws.put('.gitignore', 'dist\n*.tmp\n')
  ws.put('src/a.tmp', '')
  ws.put('src/a.ts', '')
  ws.put('dist/a.tmp', '')
  expect(await tree({ path: 'src' })).toBe('  a.ts\n(1 ignored by version control is not shown.)')
  expect(await tree({ path: 'dist' })).toBe('  a.tmp')
})

test('the limit keeps upper levels, and reports the omitted entries', async () => {
  for (let i = 0; i < 30; i++) ws.put(`a-full/${String(i).padStart(2, '0')}`, '')
  for (let i = 0; i < 3; i++) ws.put(`b-small/${i}`, '')
  ws.put('z.txt', '')
  const shown = await tree({ limit: 20 })
  expect(shown).toContain('  a-full/\n    00\n')
  expect(shown).toContain('    09\n    ... (20 more)\n')
  expect(shown).toContain('  b-small/\n    0\n    1\n    2\n  z.txt\n')
  expect(shown).toMatch(/\(16 shown, 20 omitted. List a subfolder on its own, or set a higher limit.\)$/)
  expect(await tree({ limit: 2 })).toBe(
    '  a-full/\n  b-small/\n  ... (1 more)\n(2 shown, 1 omitted. List a subfolder on its own, or set a higher limit.)',
  )
})

test('links are listed and not followed, unusual names stay on one line, empty folders are marked', async () => {
  mkdirSync(ws.at('empty'))
  symlinkSync('..', ws.at('loop'))
  symlinkSync('/etc', ws.at('out'))
  ws.put('two\nlines', '')
  ws.put('-dash 😀', '')
  expect(await tree({ depth: 5 })).toBe('  -dash 😀\n  empty/\n  loop -> ..\n  out -> /etc\n  "two\\nlines"')
  expect(await text({ path: 'empty' })).toBe('empty/\n  (nothing)')
})

test('a folder that cannot be listed is reported', async () => {
  ws.put('file.txt', '')
  ws.put('source/a', '')
  await expect(text({ path: 'file.txt' })).rejects.toThrow('file.txt is a file, not a folder. Use Read.')
  await expect(text({ path: 'sorce' })).rejects.toThrow('sorce does not exist. Did you mean source?')
  await expect(text({ path: '..' })).rejects.toThrow('outside the workspace')
  await expect(text({ dir_path: 'source' })).rejects.toThrow('dir_path')
})

test.skipIf(process.getuid?.() === 0)('an unreadable folder is reported, and its siblings are listed', async () => {
  ws.put('closed/a', '')
  chmodSync(ws.at('closed'), 0)
  expect(await tree()).toContain('  closed/\n    (cannot be opened: permission denied)')
  await expect(text({ path: 'closed' })).rejects.toThrow('closed cannot be opened: permission denied')
})

const many = process.env['TROUPE_TEST_FULL'] === '1' ? 100_000 : 8000

test(`a folder of ${many} files is quick and does not fill the memory`, async () => {
  mkdirSync(ws.at('many'))
  ws.put('.gitignore', '*.log\n')
  for (let i = 0; i < many; i++) closeSync(openSync(ws.at('many', `file-${i}`), 'w'))
  const before = process.memoryUsage().rss
  const spentMs = cpuClock()
  const shown = await tree({ path: 'many' })
  expect(spentMs()).toBeLessThan(5000)
  expect(process.memoryUsage().rss - before).toBeLessThan(100 * 2 ** 20)
  expect(shown).toMatch(/^ {2}file-0\n {2}file-1\n {2}file-10\n {2}file-100\n/)
  expect(shown).toContain(`... (${many - 200} more)`)
})
