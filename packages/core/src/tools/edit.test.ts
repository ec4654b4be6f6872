import { Buffer } from 'node:buffer'
import { chmodSync, linkSync, mkdirSync, readdirSync, statSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import fc from 'fast-check'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { openTestWorkspace, type TestWorkspace } from '../testing/test-workspace.ts'
import edit from './edit.ts'
import read from './read.ts'

let ws: TestWorkspace
beforeEach(() => {
  ws = openTestWorkspace()
})
afterEach(() => ws.close())

interface Edit {
  old_string: string
  new_string: string
  replace_all?: boolean
}

async function edited(
  content: string | Uint8Array,
  change: Edit,
  name = 'a.txt',
): Promise<{ bytes: Buffer; text: string }> {
  ws.put(name, content)
  await ws.call(read, { file_path: name })
  const { text } = await ws.call(edit, { file_path: name, ...change })
  return { bytes: ws.bytes(name), text }
}
const result = async (content: string, change: Edit): Promise<string> =>
  (await edited(content, change)).bytes.toString()

test('one place is replaced, and the diff is shown', async () => {
  const { bytes, text } = await edited('one\ntwo\nthree\n', { old_string: 'two', new_string: 'TWO' })
  expect(bytes.toString()).toBe('one\nTWO\nthree\n')
  expect(text).toBe('Changed a.txt (+1 -1).\n@@ -1,3 +1,3 @@\n one\n-two\n+TWO\n three')
})

test('the card gets the diff with its counts', async () => {
  ws.put('src/a.txt', 'one\ntwo\n')
  await ws.call(read, { file_path: 'src/a.txt' })
  const input = { file_path: 'src/a.txt', old_string: 'two\n', new_string: '' }
  const { output } = await ws.call(edit, input)
  expect(edit.display?.(output, { ...input, replace_all: false })).toEqual({
    title: 'Edit src/a.txt',
    summary: '+0 -1',
    content: {
      kind: 'diff',
      path: 'src/a.txt',
      change: 'changed',
      diff: '@@ -1,2 +1 @@\n one\n-two\n',
      added: 0,
      removed: 1,
    },
  })
})

test.each([
  ['$&', 'a $& b'],
  ['$$', '$$'],
  ["$'", "$' $` $1"],
  ['\\n', '\\n \\1'],
  ['', ''],
])('%j in the new text is text', async (_, new_string) => {
  expect(await result('x MARK y\n', { old_string: 'MARK', new_string })).toBe(`x ${new_string} y\n`)
})

test('several places need replace_all, and their lines are named', async () => {
  const content = 'a = 1\nb = 2\na = 1\n'
  await expect(edited(content, { old_string: 'a = 1', new_string: 'a = 3' })).rejects.toThrow(
    'old_string is in the file 2 times (lines 1, 3). Include more surrounding lines to make it unique, or set replace_all.',
  )
  expect(ws.text('a.txt')).toBe(content)
  const { bytes, text } = await edited(content, { old_string: 'a = 1', new_string: 'a = 3', replace_all: true })
  expect(bytes.toString()).toBe('a = 3\nb = 2\na = 3\n')
  expect(text).toContain('Replaced 2 occurrences.')
  expect(text).toContain('-a = 1\n+a = 3\n b = 2\n-a = 1\n+a = 3')
})

test('overlapping matches are two, and replaced once each from the left', async () => {
  await expect(edited('aaa\n', { old_string: 'aa', new_string: 'b' })).rejects.toThrow('2 times')
  expect(await result('aaaa\n', { old_string: 'aa', new_string: 'b', replace_all: true })).toBe('bb\n')
})

const lf = 'one\ntwo\nthree\n'
const crlf = 'one\r\ntwo\r\nthree\r\n'
test.each<[string, string, Edit, string]>([
  ['LF file, LF texts', lf, { old_string: 'one\ntwo', new_string: 'one\n2\ntwo' }, 'one\n2\ntwo\nthree\n'],
  ['LF file, CRLF texts', lf, { old_string: 'one\r\ntwo', new_string: 'one\r\n2\r\ntwo' }, 'one\n2\ntwo\nthree\n'],
  ['LF file, CRLF only in the new text', lf, { old_string: 'two', new_string: '2\r\n3' }, 'one\n2\n3\nthree\n'],
  ['CRLF file, LF texts', crlf, { old_string: 'one\ntwo', new_string: 'one\n2\ntwo' }, 'one\r\n2\r\ntwo\r\nthree\r\n'],
  ['CRLF file, CRLF texts', crlf, { old_string: 'one\r\ntwo\r\n', new_string: '1\r\n' }, '1\r\nthree\r\n'],
  ['CRLF file, one line becomes two', crlf, { old_string: 'two', new_string: '2\n3' }, 'one\r\n2\r\n3\r\nthree\r\n'],
  ['CRLF file, lines deleted', crlf, { old_string: 'two\nthree\n', new_string: '' }, 'one\r\n'],
  [
    'mixed file, CRLF at the place',
    'a\nb\r\nc\r\nd\n',
    { old_string: 'b\nc', new_string: 'b\nx\nc' },
    'a\nb\r\nx\r\nc\r\nd\n',
  ],
  [
    'mixed file, LF at the place',
    'a\r\nb\nc\nd\r\n',
    { old_string: 'b\nc', new_string: 'b\nx\nc' },
    'a\r\nb\nx\nc\nd\r\n',
  ],
  [
    'mixed file, both at the place',
    'a\r\nb\nc\r\n',
    { old_string: 'a\nb\nc\n', new_string: 'a\nB\nc\n' },
    'a\r\nB\nc\r\n',
  ],
  ['no line ending in the file', 'abc', { old_string: 'b', new_string: '\r\n' }, 'a\r\nc'],
  ['no newline at the end', 'a\r\nb', { old_string: 'b', new_string: 'b\nc' }, 'a\r\nb\r\nc'],
  ['lone carriage returns', 'a\rb\r\nc\r\r\nd', { old_string: 'b\nc', new_string: 'B\nC' }, 'a\rB\r\nC\r\r\nd'],
  [
    'CRLF, every place',
    'x\r\ny\r\nx\r\ny\r\n',
    { old_string: 'x\ny\n', new_string: 'z\n', replace_all: true },
    'z\r\nz\r\n',
  ],
])('line endings are kept: %s', async (_, content, change, expected) => {
  expect(JSON.stringify(await result(content, change))).toBe(JSON.stringify(expected))
})

test('for any text with any line endings, only the place changes', async () => {
  const line = fc
    .array(fc.constantFrom('a', 'b', ' ', 'é', '😀', '\t'), { maxLength: 4 })
    .map((parts) => parts.join(''))
  const ending = fc.constantFrom('\n', '\r\n')
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.tuple(line, ending), { minLength: 1, maxLength: 6 }),
      fc.nat(5),
      fc.nat(5),
      fc.array(line, { maxLength: 3 }),
      async (pairs, from, count, replacement) => {
        const first = Math.min(from, pairs.length - 1)
        const last = Math.min(pairs.length, first + 1 + count)
        const old_string = pairs
          .slice(first, last)
          .map(([text]) => `${text}\n`)
          .join('')
        const new_string = replacement.map((text) => `${text}\n`).join('')
        const content = pairs.flat().join('')
        const plain = content.replaceAll('\r\n', '\n')
        fc.pre(old_string !== new_string && plain.indexOf(old_string) === plain.lastIndexOf(old_string))
        const after = await result(content, { old_string, new_string })
        expect(after.replaceAll('\r\n', '\n')).toBe(plain.replace(old_string, () => new_string))
        expect(after.startsWith(pairs.slice(0, first).flat().join(''))).toBe(true)
        expect(after.endsWith(pairs.slice(last).flat().join(''))).toBe(true)
      },
    ),
    { numRuns: 150 },
  )
})

test('non-text bytes survive at any position', async () => {
  const before = Buffer.concat([Buffer.from('größe '), Buffer.from([0xe9, 0xff, 0x80]), Buffer.from('\nweiß = 1\n')])
  const { bytes } = await edited(before, { old_string: 'weiß = 1', new_string: 'weiß = 2' })
  expect(bytes.equals(Buffer.concat([before.subarray(0, -2), Buffer.from('2\n')]))).toBe(true)
  await expect(ws.call(edit, { file_path: 'a.txt', old_string: 'größe �', new_string: 'x' })).rejects.toThrow(
    'which stands for bytes that are not valid text',
  )
})

test.each<[string, (text: string) => Buffer]>([
  ['UTF-8 with mark', (text) => Buffer.from(`\ufeff${text}`)],
  ['UTF-16 LE', (text) => Buffer.from(`\ufeff${text}`, 'utf16le')],
  ['UTF-16 BE', (text) => Buffer.from(`\ufeff${text}`, 'utf16le').swap16()],
  ['Latin-1', (text) => Buffer.from(text, 'latin1')],
])('%s is preserved', async (_, encode) => {
  const { bytes } = await edited(encode('déjà\r\nvu\r\nété\r\n'), { old_string: 'vu\nété', new_string: 'lu\nà\nété' })
  expect(bytes.equals(encode('déjà\r\nlu\r\nà\r\nété\r\n'))).toBe(true)
  await expect(ws.call(edit, { file_path: 'a.txt', old_string: 'à', new_string: 'x' })).rejects.toThrow(
    '2 times (lines 1, 3)',
  )
})

test('characters outside Latin-1 are rejected, and Windows characters are kept', async () => {
  const before = Buffer.from([0x93, 0x68, 0x69, 0x94, 0x20, 0xe9, 0x0a])
  await expect(edited(before, { old_string: 'hi', new_string: '漢' })).rejects.toThrow('Latin-1, which has no "漢"')
  expect(ws.bytes('a.txt').equals(before)).toBe(true)
  const { bytes } = await edited(before, { old_string: '“hi”', new_string: '“ho” €' })
  expect([...bytes]).toEqual([0x93, 0x68, 0x6f, 0x94, 0x20, 0x80, 0x20, 0xe9, 0x0a])
})

test('different blanks at line ends are accepted at one place, and reported', async () => {
  const { bytes, text } = await edited('a  \nb\t\nc\n', { old_string: 'a\nb\nc', new_string: 'a\nB\nc' })
  expect(bytes.toString()).toBe('a  \nB\t\nc\n')
  expect(text).toContain('matched only when trailing whitespace was ignored')
  expect(await result('a\nb\n', { old_string: 'a  \nb', new_string: 'a  \nB' })).toBe('a\nB\n')
  expect(await result('a \r\nb\r\n', { old_string: 'a\nb', new_string: 'a\nx\nb' })).toBe('a \r\nx\r\nb\r\n')
  await expect(edited('a \nb\na  \nb\n', { old_string: 'a\nb', new_string: 'x' })).rejects.toThrow(
    'Ignoring trailing whitespace it would match 2 places (lines 1, 3)',
  )
})

test.each<[string, string, Edit, string]>([
  [
    'deeper than given',
    'class A:\n    def f(self):\n        return 1\n',
    { old_string: 'def f(self):\n    return 1', new_string: 'def f(self):\n    # note\n    return 2' },
    'class A:\n    def f(self):\n        # note\n        return 2\n',
  ],
  [
    'less deep than given',
    'if x:\n  go()\n  stop()\n',
    { old_string: '      go()\n      stop()\n', new_string: '      go()\n      wait()\n      stop()\n' },
    'if x:\n  go()\n  wait()\n  stop()\n',
  ],
  [
    'tabs in the file, blanks given',
    'if x {\n\tgo()\n\tif y {\n\t\tstop()\n\t}\n}\n',
    {
      old_string: '    if y {\n        stop()\n    }',
      new_string: '    if z {\n        wait()\n        stop()\n    }',
    },
    'if x {\n\tgo()\n\tif z {\n\t\twait()\n\t\tstop()\n\t}\n}\n',
  ],
  [
    'blanks in the file, tabs given',
    'if x {\n  go()\n  if y {\n    stop()\n  }\n}\n',
    { old_string: '\tif y {\n\t\tstop()\n\t}', new_string: '\tif y {\n\t\twait()\n\t\tstop()\n\t}' },
    'if x {\n  go()\n  if y {\n    wait()\n    stop()\n  }\n}\n',
  ],
  [
    'in CRLF, with an empty line',
    '  a\r\n\r\n  b\r\n  c\r\n',
    { old_string: 'a\n\nb', new_string: 'a\n\nB\nbb' },
    '  a\r\n\r\n  B\r\n  bb\r\n  c\r\n',
  ],
  [
    'lines deleted',
    '  a\n  b\n  c\n',
    { old_string: '    a\n    b\n    c\n', new_string: '    a\n    c\n' },
    '  a\n  c\n',
  ],
  ['all deleted', '  a\n  b\n  c\n', { old_string: '    a\n    b\n', new_string: '' }, '  c\n'],
])(
  'another indentation is forgiven at one place and the new text follows it: %s',
  async (_, content, change, expected) => {
    const { bytes, text } = await edited(content, change)
    expect(bytes.toString()).toBe(expected)
    expect(text).toContain('indented to fit')
  },
)

test('indentation that differs line by line is not forgiven, nor a new line further out than the place', async () => {
  await expect(edited('  a\n      b\n', { old_string: 'a\nb', new_string: 'x' })).rejects.toThrow('is not in the file')
  await expect(edited('  a\n  b\n', { old_string: '      a\n      b', new_string: 'outer\n      b' })).rejects.toThrow(
    'is not in the file',
  )
})

test('typographic quotes, dashes and spaces are accepted at one place; the text around is unchanged', async () => {
  const { bytes, text } = await edited('He said “don’t” – twice.\n', {
    old_string: 'He said "don\'t" - twice.',
    new_string: 'He said "don\'t" - once.',
  })
  expect(bytes.toString()).toBe('He said “don’t” – once.\n')
  expect(text).toContain('typographic quotes, dashes and spaces were treated as plain ones')
  expect(await result("it's\n", { old_string: 'it’s', new_string: 'it was' })).toBe('it was\n')
  expect(await result('caf\u0065\u0301 x\n', { old_string: 'café x', new_string: 'café y' })).toBe(
    'caf\u0065\u0301 y\n',
  )
  expect(await result('a\u00a0b\n', { old_string: 'a b', new_string: 'a c' })).toBe('a\u00a0c\n')
  await expect(edited('“a” „a“\n', { old_string: '"a"', new_string: 'b' })).rejects.toThrow('2 places (lines 1, 1)')
})

test('nothing else is tolerated: letters of other alphabets, case, missing lines', async () => {
  await expect(edited('раssword = 1\n', { old_string: 'password = 1', new_string: 'x' })).rejects.toThrow(
    'not in the file',
  )
  await expect(edited('Hello\n', { old_string: 'hello', new_string: 'x' })).rejects.toThrow(
    'Line 1 differs: the file has "Hello"',
  )
  await expect(edited('a\nb\nc\n', { old_string: 'a\nc', new_string: 'x' })).rejects.toThrow('not in the file')
})

test('a failed match reports the closest place and the difference', async () => {
  const content = 'function one() {\n  return 1\n}\n\nfunction two() {\n  return 2\n}\n'
  await expect(edited(content, { old_string: 'function two() {\n  return 3\n}', new_string: 'x' })).rejects.toThrow(
    'The closest match is lines 5-7. Line 6 differs: the file has "  return 2", you gave "  return 3".',
  )
  await expect(edited(content, { old_string: 'function twoo() {', new_string: 'x' })).rejects.toThrow(
    'The closest line is 5',
  )
  await expect(edited(content, { old_string: 'entirely different', new_string: 'x' })).rejects.toThrow(
    'There is no close match',
  )
  await expect(edited(content, { old_string: '     2\t  return 1', new_string: 'x' })).rejects.toThrow(
    'line numbers that Read adds',
  )
  await expect(edited(content, { old_string: 'return one', new_string: '  return 2\n}' })).rejects.toThrow(
    'new_string is already there, at line 6',
  )
})

test.each([
  '// ... rest of the code ...',
  '# ... existing code ...',
  '/* ... remaining methods ... */',
  '<!-- ... rest of the file ... -->',
  '// … unchanged code above …',
  '(rest of methods ...)',
])('the placeholder %s is refused', async (line) => {
  await expect(edited('a\n', { old_string: 'a', new_string: `a\n${line}\nb` })).rejects.toThrow('instead of code')
  expect(ws.text('a.txt')).toBe('a\n')
})

test('comments that mention placeholders, and existing placeholders, are accepted', async () => {
  const line = '// ... existing code ...'
  expect(await result(`${line}\na\n`, { old_string: `${line}\na`, new_string: `${line}\nb` })).toBe(`${line}\nb\n`)
  for (const fine of [
    '// handles the rest of the request',
    'the rest of us...',
    '// TODO ...',
    'const x = { ...rest }',
  ]) {
    expect(await result('a\n', { old_string: 'a', new_string: fine })).toBe(`${fine}\n`)
  }
})

test('no-op edits, notebooks, folders and missing files are rejected', async () => {
  await expect(edited('a', { old_string: 'a', new_string: 'a' })).rejects.toThrow('are identical')
  await expect(ws.call(edit, { file_path: 'n.ipynb', old_string: 'a', new_string: 'b' })).rejects.toThrow(
    'Use NotebookEdit',
  )
  mkdirSync(ws.at('folder'))
  await expect(ws.call(edit, { file_path: 'folder', old_string: 'a', new_string: 'b' })).rejects.toThrow('is a folder')
  await expect(ws.call(edit, { file_path: 'b.txt', old_string: 'a', new_string: 'b' })).rejects.toThrow(
    'Did you mean a.txt?',
  )
  await expect(ws.call(edit, { file_path: '../x', old_string: '', new_string: 'b' })).rejects.toThrow(
    'outside the workspace',
  )
})

test('an empty old text creates a missing file, and no other', async () => {
  const { text, output } = await ws.call(edit, { file_path: 'new/deep/a.txt', old_string: '', new_string: 'hello\n' })
  expect(text).toBe('Created new/deep/a.txt (1 line).')
  expect(output).toMatchObject({ change: 'created', added: 1 })
  expect(ws.text('new/deep/a.txt')).toBe('hello\n')
  for (const content of ['full', '']) {
    ws.put('there.txt', content)
    await expect(ws.call(edit, { file_path: 'there.txt', old_string: '', new_string: 'x' })).rejects.toThrow(
      'already exists',
    )
    expect(ws.text('there.txt')).toBe(content)
  }
  await ws.call(edit, { file_path: 'new/deep/a.txt', old_string: 'hello', new_string: 'bye' })
  expect(ws.text('new/deep/a.txt')).toBe('bye\n')
})

test('a file must have been read by this agent; if it changed since, only an exact text will do', async () => {
  ws.put('a.txt', 'one\n  two\n')
  const change = { file_path: 'a.txt', old_string: 'one', new_string: '1' }
  await expect(ws.call(edit, change)).rejects.toThrow('you have not read it yet. Read it first.')
  await ws.call(read, { file_path: 'a.txt' })
  await expect(ws.call(edit, change, ws.another())).rejects.toThrow('not read it yet')
  writeFileSync(ws.at('a.txt'), 'one\n  two\n  three\n')
  const loose = { file_path: 'a.txt', old_string: 'two\nthree', new_string: 'x' }
  await expect(ws.call(edit, loose)).rejects.toThrow('is not in the file')
  const { text } = await ws.call(edit, change)
  expect(text).toContain('had changed since you read it')
  expect(ws.text('a.txt')).toBe('1\n  two\n  three\n')
  expect(ws.ctx.state.reads.get(ws.at('a.txt'))?.partial).toBe(true)
  await ws.call(read, { file_path: 'a.txt' })
  await ws.call(edit, loose)
  expect(ws.text('a.txt')).toBe('1\n  x\n')
  utimesSync(ws.at('a.txt'), 1, 1)
  expect((await ws.call(edit, { file_path: 'a.txt', old_string: '1', new_string: '2' })).text).not.toContain(
    'had changed',
  )
})

test('a partial read is sufficient, even of a long file', async () => {
  ws.put('long.txt', Array.from({ length: 60_000 }, (_, index) => `line ${index}\n`).join(''))
  await ws.call(read, { file_path: 'long.txt', offset: 5000, limit: 10 })
  await ws.call(edit, { file_path: 'long.txt', old_string: 'line 5001\n', new_string: 'changed\n' })
  await ws.call(edit, { file_path: 'long.txt', old_string: 'changed\n', new_string: 'changed again\n' })
  expect(ws.text('long.txt').split('\n').slice(5000, 5003)).toEqual(['line 5000', 'changed again', 'line 5002'])
})

test('a change between match and write is rejected, and nothing is left behind', async () => {
  ws.put('a.txt', 'one\ntwo\n')
  await ws.call(read, { file_path: 'a.txt' })
  const { undo } = ws.ctx.state
  const meddling = {
    ...ws.ctx.state,
    undo: {
      ...undo,
      async before(...given: Parameters<typeof undo.before>) {
        const open = await undo.before(...given)
        writeFileSync(ws.at('a.txt'), 'ONE\ntwo\n')
        return open
      },
    },
  }
  const change = { file_path: 'a.txt', old_string: 'two', new_string: 'TWO' }
  await expect(ws.call(edit, change, { state: meddling })).rejects.toThrow(
    'was changed by someone else during this call',
  )
  expect(ws.text('a.txt')).toBe('ONE\ntwo\n')
  expect(readdirSync(ws.root)).toEqual(['a.txt'])
  expect(await undo.list({})).toEqual([])
})

test('concurrent edits both survive, of one agent and of two', async () => {
  const names = Array.from({ length: 20 }, (_, index) => `line-${String(index).padStart(2, '0')}`)
  ws.put('a.txt', names.join('\n'))
  await ws.call(read, { file_path: 'a.txt' })
  const other = ws.another()
  const outcomes = await Promise.allSettled(
    names.map((name) => ws.call(edit, { file_path: 'a.txt', old_string: name, new_string: name.toUpperCase() })),
  )
  expect(outcomes.filter((outcome) => outcome.status === 'rejected')).toEqual([])
  expect(ws.text('a.txt')).toBe(names.join('\n').toUpperCase())
  await ws.call(read, { file_path: 'a.txt' }, other)
  await Promise.all([
    ws.call(edit, { file_path: 'a.txt', old_string: 'LINE-00', new_string: 'mine' }),
    ws.call(edit, { file_path: 'a.txt', old_string: 'LINE-01', new_string: 'theirs' }, other),
  ])
  expect(ws.text('a.txt')).toMatch(/^mine\ntheirs\nLINE-02/)
})

test('permissions and links are kept, and a read-only file is not changed', async () => {
  ws.put('run.sh', '#!/bin/sh\necho one\n')
  chmodSync(ws.at('run.sh'), 0o751)
  symlinkSync('run.sh', ws.at('link.sh'))
  await ws.call(read, { file_path: 'link.sh' })
  await ws.call(edit, { file_path: 'link.sh', old_string: 'one', new_string: 'two' })
  expect(ws.text('run.sh')).toBe('#!/bin/sh\necho two\n')
  expect(statSync(ws.at('run.sh')).mode & 0o777).toBe(0o751)
  expect(
    readdirSync(ws.root, { withFileTypes: true })
      .find(({ name }) => name === 'link.sh')
      ?.isSymbolicLink(),
  ).toBe(true)
  chmodSync(ws.at('run.sh'), 0o444)
  await expect(ws.call(edit, { file_path: 'run.sh', old_string: 'two', new_string: 'three' })).rejects.toThrow(
    'is read-only',
  )
  expect(ws.text('run.sh')).toBe('#!/bin/sh\necho two\n')
})

test('hard links of a file keep the old content, and the result says so', async () => {
  ws.put('a.txt', 'one\n')
  linkSync(ws.at('a.txt'), ws.at('b.txt'))
  await ws.call(read, { file_path: 'a.txt' })
  const { text } = await ws.call(edit, { file_path: 'a.txt', old_string: 'one', new_string: 'two' })
  expect(text).toContain('The file had another name (a hard link), which keeps the old content.')
  expect([ws.text('a.txt'), ws.text('b.txt')]).toEqual(['two\n', 'one\n'])
  const again = await ws.call(edit, { file_path: 'a.txt', old_string: 'two', new_string: 'three' })
  expect(again.text).not.toContain('hard link')
})

test.each(['with space.txt', 'two\nlines', '-rf', '😀', `${'n'.repeat(255)}`])(
  'the name %j is only a name',
  async (name) => {
    const { bytes } = await edited('one\n', { old_string: 'one', new_string: 'two' }, name)
    expect(bytes.toString()).toBe('two\n')
    expect(readdirSync(path.dirname(ws.at(name)))).toEqual([name])
  },
)

test('a stop before the end changes nothing', async () => {
  ws.put('a.txt', 'one\n')
  await ws.call(read, { file_path: 'a.txt' })
  const signal = AbortSignal.abort(new Error('stopped'))
  await expect(ws.call(edit, { file_path: 'a.txt', old_string: 'one', new_string: 'two' }, { signal })).rejects.toThrow(
    'stopped',
  )
  expect(ws.text('a.txt')).toBe('one\n')
  expect(readdirSync(ws.root)).toEqual(['a.txt'])
})

test('the approval shows the replaced text', () => {
  const input = { file_path: 'a.txt', old_string: 'one\ntwo\n', new_string: 'three', replace_all: false }
  expect(edit.permission?.(input)).toEqual({
    title: 'Edit a file',
    summary: 'a.txt',
    content: { kind: 'diff', path: 'a.txt', change: 'changed', diff: '-one\n-two\n+three', added: 1, removed: 2 },
  })
})

test.each([
  [
    'new text that is indented as the file is',
    'class A:\n    x = 1\n\n    def f(self):\n        return 1\n',
    { old_string: '\ndef f(self):\n    return 1\n', new_string: '\n    def f(self):\n        return 2\n' },
    'class A:\n    x = 1\n\n    def f(self):\n        return 2\n',
  ],
  [
    'new text with nothing in common',
    'if a:\n        b()\n        c()\n',
    { old_string: 'b()\nc()\n', new_string: '        d()\n        e()\n' },
    'if a:\n        d()\n        e()\n',
  ],
  [
    'new text that goes one level deeper',
    'if a:\n        b()\n        c()\n',
    { old_string: 'b()\nc()\n', new_string: 'if b():\n    c()\n' },
    'if a:\n        if b():\n            c()\n',
  ],
])('another indentation, %s', async (_name, before, change, after) => {
  expect(await result(before, change)).toBe(after)
})

test('an extra empty line at the start is tolerated', async () => {
  const { bytes, text } = await edited('a\nb\nc\n', { old_string: '\na\nb\n', new_string: '\nA\nb\n' })
  expect(bytes.toString()).toBe('A\nb\nc\n')
  expect(text).toContain('old_string matched only without its empty first line.')
  await expect(edited('a\nb\na\nb\n', { old_string: '\n\na\n', new_string: 'A\n' })).rejects.toThrow(/not in the file/)
})

test('text that starts before the file begins is reported', async () => {
  await expect(
    edited('const a = 1\nconst b = 2\n', { old_string: 'first\nconst a = 1\nconst b = 3', new_string: 'x' }),
  ).rejects.toThrow(
    'The closest match is lines 1-2. Your text starts one line before the file does: you gave "first" first.',
  )
})
