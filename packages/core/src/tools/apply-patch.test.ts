import { Buffer } from 'node:buffer'
import { chmodSync, readdirSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { openTestWorkspace, type TestWorkspace } from '../testing/test-workspace.ts'
import applyPatch from './apply-patch.ts'
import edit from './edit.ts'
import read from './read.ts'
import write from './write.ts'

let ws: TestWorkspace
beforeEach(() => {
  ws = openTestWorkspace()
})
afterEach(() => ws.close())

type Files = Record<string, string>

function tree(): Files {
  const files = readdirSync(ws.root, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile())
  return Object.fromEntries(
    files.map((entry) => {
      const file = path.join(entry.parentPath, entry.name)
      return [path.relative(ws.root, file), readFileSync(file, 'utf8')]
    }),
  )
}

async function patched(before: Files, patch: string): Promise<{ after: Files; text: string }> {
  for (const name of readdirSync(ws.root)) rmSync(ws.at(name), { recursive: true })
  for (const [name, content] of Object.entries(before)) ws.put(name, content)
  const { text } = await ws.call(applyPatch, { patch })
  return { after: tree(), text }
}
const wrap = (...lines: string[]): string => ['*** Begin Patch', ...lines, '*** End Patch'].join('\n')

test.each<[string, Files, string, Files]>([
  ['adds a file', {}, wrap('*** Add File: bar.md', '+This is a new file'), { 'bar.md': 'This is a new file\n' }],
  ['adds an empty file', {}, wrap('*** Add File: empty'), { empty: '' }],
  [
    'adds, updates and deletes',
    { 'delete.txt': 'obsolete\n', 'modify.txt': 'line1\nline2\n' },
    wrap(
      '*** Add File: nested/new.txt',
      '+created',
      '*** Delete File: delete.txt',
      '*** Update File: modify.txt',
      '@@',
      '-line2',
      '+changed',
    ),
    { 'nested/new.txt': 'created\n', 'modify.txt': 'line1\nchanged\n' },
  ],
  [
    'takes several hunks',
    { 'multi.txt': 'line1\nline2\nline3\nline4\n' },
    wrap('*** Update File: multi.txt', '@@', '-line2', '+changed2', '@@', '-line4', '+changed4'),
    { 'multi.txt': 'line1\nchanged2\nline3\nchanged4\n' },
  ],
  [
    'moves into a folder that is do not exist yet',
    { 'old/name.txt': 'old content\n', 'old/other.txt': 'unrelated\n' },
    wrap('*** Update File: old/name.txt', '*** Move to: renamed/dir/name.txt', '@@', '-old content', '+new content'),
    { 'old/other.txt': 'unrelated\n', 'renamed/dir/name.txt': 'new content\n' },
  ],
  [
    'moves over a file that is there',
    { 'old/name.txt': 'from\n', 'renamed/dir/name.txt': 'existing\n' },
    wrap('*** Update File: old/name.txt', '*** Move to: renamed/dir/name.txt', '@@', '-from', '+new'),
    { 'renamed/dir/name.txt': 'new\n' },
  ],
  ['moves without a change', { a: 'x\n' }, wrap('*** Update File: a', '*** Move to: b'), { b: 'x\n' }],
  [
    'adds over a file that is there',
    { 'duplicate.txt': 'old content\n' },
    wrap('*** Add File: duplicate.txt', '+new content'),
    { 'duplicate.txt': 'new content\n' },
  ],
  [
    'ends a last line that it replaces',
    { 'no_newline.txt': 'no newline at end' },
    wrap('*** Update File: no_newline.txt', '@@', '-no newline at end', '+first line', '+second line'),
    { 'no_newline.txt': 'first line\nsecond line\n' },
  ],
  [
    'leaves a last line alone that it does not touch',
    { a: 'one\ntwo\nthree' },
    wrap('*** Update File: a', '@@', '-one', '+1', ' two'),
    { a: '1\ntwo\nthree' },
  ],
  [
    'appends what has no lines around it',
    { 'input.txt': 'line1\nline2\n' },
    wrap('*** Update File: input.txt', '@@', '+added line 1', '+added line 2'),
    { 'input.txt': 'line1\nline2\nadded line 1\nadded line 2\n' },
  ],
  [
    'appends, and still finds what comes before',
    { a: 'line1\nline2\nline3\n' },
    wrap(
      '*** Update File: a',
      '@@',
      '+after-context',
      '+second-line',
      '@@',
      ' line1',
      '-line2',
      '-line3',
      '+line2-replacement',
    ),
    { a: 'line1\nline2-replacement\nafter-context\nsecond-line\n' },
  ],
  [
    'takes blanks around markers',
    { 'foo.txt': 'old\n' },
    ['  *** Begin Patch ', '  *** Update File: foo.txt  ', '@@', '-old', '+new', ' *** End Patch  ']
      .join('\n')
      .replace(' *** End', '*** End'),
    { 'foo.txt': 'new\n' },
  ],
  [
    'takes a here-document',
    { 'file2.py': 'import foo\n' },
    `<<'EOF'\n${wrap('*** Update File: file2.py', ' import foo', '+bar')}\nEOF\n`,
    { 'file2.py': 'import foo\nbar\n' },
  ],
  ['takes a code fence', {}, `\`\`\`\n${wrap('*** Add File: a', '+x')}\n\`\`\``, { a: 'x\n' }],
  [
    'takes a patch in CRLF',
    { a: 'one\n' },
    wrap('*** Update File: a', '@@', '-one', '+two').replaceAll('\n', '\r\n'),
    { a: 'two\n' },
  ],
  [
    'knows other alphabets',
    { 'foo.txt': 'line1\nnaïve café\nline3\n' },
    wrap('*** Update File: foo.txt', '@@', ' line1', '-naïve café', '+naïve café ✅', ' line3'),
    { 'foo.txt': 'line1\nnaïve café ✅\nline3\n' },
  ],
  [
    'deletes lines',
    { 'lines.txt': 'line1\nline2\nline3\n' },
    wrap('*** Update File: lines.txt', '@@', ' line1', '-line2', ' line3'),
    { 'lines.txt': 'line1\nline3\n' },
  ],
  [
    'finds the end of the file',
    { 'tail.txt': 'first\nsecond\nfirst\nsecond\n' },
    wrap('*** Update File: tail.txt', '@@', ' first', '-second', '+second updated', '*** End of File'),
    { 'tail.txt': 'first\nsecond\nfirst\nsecond updated\n' },
  ],
  [
    'replaces, inserts and appends in one file',
    { a: 'a\nb\nc\nd\ne\nf\n' },
    wrap(
      '*** Update File: a',
      '@@',
      ' a',
      '-b',
      '+B',
      '@@',
      ' c',
      ' d',
      '-e',
      '+E',
      '@@',
      ' f',
      '+g',
      '*** End of File',
    ),
    { a: 'a\nB\nc\nd\nE\nf\ng\n' },
  ],
  [
    'looks behind the line that @@ names',
    { 'a.py': 'class A:\n  def f():\n    pass\nclass B:\n  def f():\n    pass\n' },
    wrap('*** Update File: a.py', '@@ class B:', '@@   def f():', '-    pass', '+    return 1'),
    { 'a.py': 'class A:\n  def f():\n    pass\nclass B:\n  def f():\n    return 1\n' },
  ],
  [
    'inserts behind the line that @@ names',
    { 'a.py': 'class A:\n  x = 1\n' },
    wrap('*** Update File: a.py', '@@ class A:', '+  y = 2'),
    { 'a.py': 'class A:\n  y = 2\n  x = 1\n' },
  ],
  [
    'skips the line numbers of another format',
    { a: 'one\ntwo\n' },
    wrap('*** Update File: a', '@@ -1,2 +1,2 @@', ' one', '-two', '+2'),
    { a: 'one\n2\n' },
  ],
  [
    'takes an empty line for an empty line that stays',
    { a: 'one\n\ntwo\n' },
    wrap('*** Update File: a', '@@', ' one', '', '-two', '+2'),
    { a: 'one\n\n2\n' },
  ],
  [
    'takes an empty line too many',
    { a: 'one\ntwo\n', b: 'x\n' },
    wrap('*** Update File: a', '@@', '-two', '+2', '', '*** Update File: b', '@@', '-x', '+y', ''),
    { a: 'one\n2\n', b: 'y\n' },
  ],
  [
    'works on what an earlier step left',
    {},
    wrap(
      '*** Add File: a',
      '+one',
      '*** Update File: a',
      '@@',
      '-one',
      '+two',
      '*** Update File: a',
      '*** Move to: b',
      '@@',
      '-two',
      '+three',
    ),
    { b: 'three\n' },
  ],
  ['deletes every line', { a: 'one\n' }, wrap('*** Update File: a', '@@', '-one'), { a: '' }],
  [
    'keeps what only looks like a marker',
    { a: '*** End Patch\nx\n' },
    wrap('*** Update File: a', '@@', ' *** End Patch', '-x', '+y'),
    { a: '*** End Patch\ny\n' },
  ],
])('%s', async (_, before, patch, expected) => {
  expect((await patched(before, patch)).after).toEqual(expected)
})

test.each<[string, string, string, string, string]>([
  ['exactly', 'foo\nbar\n', ' foo\n-bar\n+baz', 'foo\nbaz\n', ''],
  [
    'without trailing whitespace',
    'foo   \nbar\t\t\n',
    ' foo\n-bar\n+baz',
    'foo   \nbaz\n',
    'trailing whitespace was ignored',
  ],
  [
    'without leading and trailing whitespace',
    '    foo   \n   bar\t\n',
    ' foo\n-bar\n+baz',
    '    foo   \nbaz\n',
    'leading and trailing whitespace',
  ],
  [
    'with plain punctuation',
    'import asyncio  # local import – avoids top‑level dep\n“x”\n',
    '-import asyncio  # local import - avoids top-level dep\n+import asyncio  # HELLO\n "x"',
    'import asyncio  # HELLO\n“x”\n',
    'typographic',
  ],
])('lines are found %s; unchanged lines keep their bytes', async (_, before, hunk, expected, note) => {
  const { after, text } = await patched({ a: before }, wrap('*** Update File: a', '@@', hunk))
  expect(after).toEqual({ a: expected })
  if (note === '') expect(text).toBe('Done:\nM a (+1 -1)')
  else expect(text).toContain(`a: Hunk 1 matched only when ${note}`)
})

test('the stricter match wins, at any position', async () => {
  const before = { a: 'x = 1 \nother\nx = 1\n' }
  expect((await patched(before, wrap('*** Update File: a', '@@', '-x = 1', '+x = 2'))).after).toEqual({
    a: 'x = 1 \nother\nx = 2\n',
  })
})

test.each<[string, Files, string, string]>([
  ['no begin', {}, 'bad', 'The first line of the patch must be "*** Begin Patch"'],
  ['no end', {}, '*** Begin Patch\n*** Add File: a\n+x', 'The last line of the patch must be "*** End Patch"'],
  ['text before it', {}, `hello\n${wrap('*** Add File: a', '+x')}`, 'The first line of the patch'],
  ['nothing in it', {}, wrap(), 'The patch is empty'],
  [
    'an unknown header',
    {},
    wrap('*** Frobnicate File: foo'),
    'Line 2 of the patch, "*** Frobnicate File: foo", is not valid here',
  ],
  ['an update of nothing', { a: 'x\n' }, wrap('*** Update File: a'), 'the section for "a" has no changes'],
  ['an empty hunk', { a: 'x\n' }, wrap('*** Update File: a', '@@'), 'Line 3 of the patch: the hunk has no lines'],
  ['a stray line', { a: 'x\n' }, wrap('*** Update File: a', '@@', 'x'), 'every line of a hunk starts with'],
  ['no file name', {}, wrap('*** Delete File: '), 'Line 2 of the patch has no file name'],
  [
    'a missing file',
    { other: 'x\n' },
    wrap('*** Update File: ohter', '@@', '-x', '+y'),
    'ohter does not exist. Did you mean other?',
  ],
  ['a deletion of nothing', { foo: 'x\n' }, wrap('*** Delete File: missing.txt'), 'missing.txt does not exist'],
  ['a deletion of a folder', { 'dir/foo.txt': 'x\n' }, wrap('*** Delete File: dir'), '"dir" is a folder, not a file'],
  [
    'lines that are not there',
    { a: 'line1\nline2\n' },
    wrap('*** Update File: a', '@@', '-missing', '+changed'),
    'Nothing was changed. a: Hunk 1 (line 3 of the patch): these lines are not in the file:\nmissing',
  ],
  [
    'a line behind @@ that is not there',
    { a: 'x\n' },
    wrap('*** Update File: a', '@@ def f():', '-x', '+y'),
    'the line after @@ is not in the file: "def f():"',
  ],
  [
    'lines in another order',
    { a: 'one\ntwo\n' },
    wrap('*** Update File: a', '@@', '-two', '+2', '@@', '-one', '+1'),
    'Hunk 2 (line 6 of the patch): its lines are at line 1, before those of the previous hunk',
  ],
  [
    'lines that are not at the end',
    { a: 'one\ntwo\n' },
    wrap('*** Update File: a', '@@', '-one', '+1', '*** End of File'),
    'but not at the end',
  ],
  ['a path outside', {}, wrap('*** Add File: ../evil', '+x'), 'outside the workspace'],
  ['a move outside', { a: 'x\n' }, wrap('*** Update File: a', '*** Move to: ../evil'), 'outside the workspace'],
])('%s is rejected, and nothing changes', async (_, before, patch, message) => {
  await expect(patched(before, patch)).rejects.toThrow(message)
  expect(tree()).toEqual(before)
})

test('one bad step at the end undoes the good ones before it', async () => {
  const before = { a: 'one\n', b: 'two\n', c: 'three\n' }
  const patch = wrap(
    '*** Add File: new',
    '+x',
    '*** Update File: a',
    '@@',
    '-one',
    '+1',
    '*** Delete File: b',
    '*** Update File: c',
    '@@',
    '-missing',
    '+x',
  )
  await expect(patched(before, patch)).rejects.toThrow('Nothing was changed. c: Hunk 1')
  expect(tree()).toEqual(before)
  expect(await ws.ctx.state.undo.list({})).toEqual([])
})

test('a write that fails halfway restores the earlier files', async () => {
  ws.put('a', 'one\n')
  chmodSync(ws.at('a'), 0o640)
  ws.put('b', 'two\n')
  ws.put('last/c', 'three\n')
  const three = '*** Update File: a\n@@\n-one\n+1\n*** Delete File: b\n*** Add File: new\n+x'
  const patch = wrap(three, '*** Update File: last/c', '@@', '-three', '+3')
  // Called when everything is prepared but nothing is in place: remove the new content of the last file then.
  const signal = {
    throwIfAborted: () => {
      for (const name of readdirSync(ws.at('last'))) if (name.endsWith('.tmp')) rmSync(ws.at('last', name))
    },
  } as AbortSignal
  await expect(ws.call(applyPatch, { patch }, { signal })).rejects.toThrow('"last/c" was not written')
  expect(tree()).toEqual({ a: 'one\n', b: 'two\n', 'last/c': 'three\n' })
  expect(statSync(ws.at('a')).mode & 0o777).toBe(0o640)
  expect(await ws.ctx.state.undo.list({})).toEqual([])
})

test('a read-only file among them stops all', async () => {
  ws.put('a', 'one\n')
  ws.put('b', 'two\n')
  chmodSync(ws.at('b'), 0o444)
  const patch = wrap('*** Update File: a', '@@', '-one', '+1', '*** Update File: b', '@@', '-two', '+2')
  await expect(ws.call(applyPatch, { patch })).rejects.toThrow('"b" is read-only')
  expect(tree()).toEqual({ a: 'one\n', b: 'two\n' })
})

test('line endings, marks, encodings and damaged bytes are kept', async () => {
  const patch = wrap('*** Update File: a', '@@', ' a', '-b', '+B', '+BB', '@@', ' c', '+d', '*** End of File')
  ws.put('a', 'a\r\nb\r\nc\r\n')
  await ws.call(applyPatch, { patch })
  expect(ws.text('a')).toBe('a\r\nB\r\nBB\r\nc\r\nd\r\n')
  ws.put('a', 'foo\r\r\na\r\nb\nc\n')
  await ws.call(applyPatch, { patch })
  expect(ws.text('a')).toBe('foo\r\r\na\r\nB\nBB\nc\nd\n')
  for (const encode of [
    (text: string) => Buffer.from(`\ufeff${text}`),
    (text: string) => Buffer.from(`\ufeff${text}`, 'utf16le'),
    (text: string) => Buffer.from(text, 'latin1'),
  ]) {
    ws.put('a', encode('é\r\na\r\nb\r\nc\r\n'))
    await ws.call(applyPatch, { patch })
    expect(ws.bytes('a').equals(encode('é\r\na\r\nB\r\nBB\r\nc\r\nd\r\n'))).toBe(true)
  }
  const damaged = (text: string): Buffer =>
    Buffer.concat([Buffer.from('größe äöü'), Buffer.from([0xff, 0xe9]), Buffer.from(text)])
  ws.put('a', damaged('\na\nb\nc\n'))
  await ws.call(applyPatch, { patch })
  expect(ws.bytes('a').equals(damaged('\na\nB\nBB\nc\nd\n'))).toBe(true)
})

test('links to the outside are rejected, and a link is neither deleted nor moved', async () => {
  const outside = path.join(ws.root, '../outside')
  writeFileSync(outside, 'canary\n')
  symlinkSync(outside, ws.at('out'))
  ws.put('real', 'x\n')
  symlinkSync('real', ws.at('link'))
  await expect(ws.call(applyPatch, { patch: wrap('*** Update File: out', '@@', '-canary', '+x') })).rejects.toThrow(
    'outside the workspace',
  )
  await expect(ws.call(applyPatch, { patch: wrap('*** Delete File: link') })).rejects.toThrow('link is a link')
  await expect(ws.call(applyPatch, { patch: wrap('*** Update File: link', '*** Move to: b') })).rejects.toThrow(
    'link is a link',
  )
  await ws.call(applyPatch, { patch: wrap('*** Update File: link', '@@', '-x', '+y') })
  expect(ws.text('real')).toBe('y\n')
  expect(readFileSync(outside, 'utf8')).toBe('canary\n')
})

test('a moved file keeps its permissions and read state', async () => {
  ws.put('run.sh', 'one\ntwo\n')
  chmodSync(ws.at('run.sh'), 0o755)
  await ws.call(read, { file_path: 'run.sh' })
  await ws.call(applyPatch, { patch: wrap('*** Update File: run.sh', '*** Move to: bin/run.sh', '@@', '-one', '+1') })
  expect(statSync(ws.at('bin/run.sh')).mode & 0o777).toBe(0o755)
  await ws.call(write, { file_path: 'bin/run.sh', content: 'new\n' })
  ws.put('unread', 'one\ntwo\n')
  await ws.call(applyPatch, { patch: wrap('*** Update File: unread', '@@', '-one', '+1') })
  await expect(ws.call(write, { file_path: 'unread', content: 'x' })).rejects.toThrow('only part')
  await ws.call(edit, { file_path: 'unread', old_string: '1', new_string: 'one' })
  await ws.call(applyPatch, { patch: wrap('*** Add File: fresh', '+x') })
  await ws.call(write, { file_path: 'fresh', content: 'y' })
})

test('the result names every file, the card has every diff', async () => {
  ws.put('sub/a', 'one\n')
  ws.put('gone', 'x\ny\n')
  ws.put('old', 'k\n')
  const patch = wrap(
    '*** Add File: new',
    '+n',
    '*** Update File: sub/a',
    '@@',
    '-one',
    '+1',
    '+2',
    '*** Delete File: gone',
    '*** Update File: old',
    '*** Move to: moved',
  )
  const { text, output } = await ws.call(applyPatch, { patch })
  expect(text).toBe('Done:\nA new (+1 -0)\nM sub/a (+2 -1)\nD gone (+0 -2)\nR old -> moved (+0 -0)')
  expect(applyPatch.display?.(output, { patch })).toMatchObject({
    title: 'Patch 4 files',
    summary: '+3 -3',
    content: {
      kind: 'patch',
      files: [
        { kind: 'diff', path: 'new', change: 'created', diff: '@@ -0,0 +1 @@\n+n\n' },
        { kind: 'diff', path: 'sub/a', change: 'changed', diff: '@@ -1 +1,2 @@\n-one\n+1\n+2\n' },
        { kind: 'diff', path: 'gone', change: 'deleted' },
        { kind: 'diff', path: 'moved', from: 'old', change: 'moved', diff: '' },
      ],
    },
  })
  expect(applyPatch.title?.({ patch })).toBe('Patch new, sub/a, gone and 1 more')
  expect(applyPatch.permission?.({ patch })).toMatchObject({
    content: { kind: 'patch', files: [{ path: 'new' }, { diff: '@@\n-one\n+1\n+2' }, {}, { from: 'old' }] },
  })
})

test('a hundred files in one patch are one change', async () => {
  const names = Array.from({ length: 100 }, (_, index) => `f${index}`)
  for (const name of names) ws.put(name, 'one\n')
  const patch = wrap(...names.flatMap((name) => [`*** Update File: ${name}`, '@@', '-one', `+${name}`]))
  await ws.call(applyPatch, { patch })
  expect(tree()).toEqual(Object.fromEntries(names.map((name) => [name, `${name}\n`])))
  const { undo } = ws.ctx.state
  await undo.undo(await undo.list({}))
  expect(new Set(Object.values(tree()))).toEqual(new Set(['one\n']))
})

test.each<[string, Files, string, Files, RegExp]>([
  [
    'a chain of moves is one move',
    { x: 'a\n' },
    wrap('*** Update File: x', '*** Move to: y', '*** Update File: y', '*** Move to: z', '@@', ' a', '+b'),
    { z: 'a\nb\n' },
    /^Done:\nR x -> z \(\+1 -0\)$/,
  ],
  [
    'a swap is two moves',
    { a: 'one\n', b: 'two\n' },
    wrap(
      '*** Update File: a',
      '*** Move to: t',
      '*** Update File: b',
      '*** Move to: a',
      '*** Update File: t',
      '*** Move to: b',
    ),
    { a: 'two\n', b: 'one\n' },
    /^Done:\nR b -> a \(\+0 -0\)\nR a -> b \(\+0 -0\)$/,
  ],
  [
    'a file that is made and moved is made',
    {},
    wrap('*** Add File: x', '+a', '*** Update File: x', '*** Move to: y'),
    { y: 'a\n' },
    /^Done:\nA y \(\+1 -0\)$/,
  ],
  [
    'a move over a file says that it was there',
    { x: 'a\n', y: 'b\n' },
    wrap('*** Update File: x', '*** Move to: y'),
    { y: 'a\n' },
    /^Done:\nR x -> y \(\+0 -0\)\ny existed and was replaced\.$/,
  ],
  [
    'the content that a file has already replaces nothing',
    { h: 'a\n' },
    wrap('*** Add File: h', '+a'),
    { h: 'a\n' },
    /^The files already match the patch\. Nothing was changed\.$/,
  ],
  [
    'names with control characters are escaped',
    { 'a\u001b[2Jb': 'a\n' },
    wrap('*** Update File: a\u001b[2Jb', '@@', '-a', '+b'),
    { 'a\u001b[2Jb': 'b\n' },
    /^Done:\nM "a\\u001b\[2Jb" \(\+1 -1\)$/,
  ],
])('%s', async (_name, before, patch, expected, says) => {
  const { after, text } = await patched(before, patch)
  expect(after).toEqual(expected)
  expect(text).toMatch(says)
})

test.each([
  ['blanks for tabs', '\tif x:\n\t\tfoo()\n\treturn 1\n', [' if x:', '     foo()', '+    bar()', ' return 1']],
  [
    'blanks for tabs, deeper',
    '\tif x:\n\t\tfoo()\n\treturn 1\n',
    ['     if x:', '         foo()', '+        bar()', '     return 1'],
  ],
])('new lines are indented as the file is: %s', async (_name, before, lines) => {
  const { after } = await patched({ f: before }, wrap('*** Update File: f', '@@', ...lines))
  expect(after['f']).toBe('\tif x:\n\t\tfoo()\n\t\tbar()\n\treturn 1\n')
})

test.each([
  ['lines end with a carriage return alone', 'one\rtwo\rthree', 'one\rTWO\rthree'],
  ['lines end in every way', 'one\r\ntwo\rthree\nfour\r\n', 'one\r\nTWO\r\nthree\nfour\r\n'],
  ['a carriage return is in a line', 'one\n10%\r20%\ntwo\n', 'one\n10%\r20%\nTWO\n'],
])('a patch matches where %s', async (_name, before, expected) => {
  const { after } = await patched({ f: before }, wrap('*** Update File: f', '@@', '-two', '+TWO'))
  expect(after['f']).toBe(expected)
})

const section = ['*** Add File: f', '+a']
test.each([
  ['cat', ["cat <<'EOF'", wrap(...section), 'EOF']],
  ['cat into apply_patch', ["cat <<'EOF' | apply_patch", wrap(...section), 'EOF']],
  ['apply_patch', ['apply_patch <<"PATCH"', wrap(...section), 'PATCH']],
  ['a cell', ['%%bash', "apply_patch <<'EOF'", wrap(...section), 'EOF']],
  ['a code fence', ['```diff', wrap(...section), '```']],
  ['nothing, not even markers', section],
  ['a code fence without markers', ['```', ...section, '```']],
])('the wrapper of a patch is removed: %s', async (_name, lines) => {
  expect((await patched({}, lines.join('\n'))).after).toEqual({ f: 'a\n' })
})

test.each([
  ['of a new file', wrap('*** Add File: n.ts', '+class A {', '+  // ... rest of the methods ...', '+}')],
  ['of a hunk', wrap('*** Update File: a', '@@', ' a', '+// ... existing code ...')],
])('a placeholder line is rejected in the lines %s', async (_name, patch) => {
  await expect(patched({ a: 'a\n' }, patch)).rejects.toThrow(/Nothing was changed\. .* instead of code/)
  expect(tree()).toEqual({ a: 'a\n' })
})

test('a placeholder line is kept if the file contains it', async () => {
  const before = { a: 'a\n// ... existing code ...\n' }
  const patch = wrap('*** Update File: a', '@@', '-a', '-// ... existing code ...', '+b', '+// ... existing code ...')
  expect((await patched(before, patch)).after).toEqual({ a: 'b\n// ... existing code ...\n' })
})
