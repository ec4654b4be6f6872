import { Buffer } from 'node:buffer'
import { execFileSync } from 'node:child_process'
import { appendFileSync, chmodSync, rmSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { isConvertedText } from '../files/file-kind.ts'
import { openTestWorkspace, type TestWorkspace } from '../testing/test-workspace.ts'
import read from './read.ts'
import write from './write.ts'

let ws: TestWorkspace
beforeEach(() => {
  ws = openTestWorkspace()
})
afterEach(() => ws.close())

const text = async (input: object): Promise<string> => (await ws.call(read, input)).text
const lines = (count: number, of = (n: number) => `line ${n}`): string =>
  Array.from({ length: count }, (_, index) => `${of(index + 1)}\n`).join('')

test('text has line numbers and an end marker', async () => {
  ws.put('a.txt', 'one\n\ttwo\n\nfour\n')
  const { output, text: shown } = await ws.call(read, { file_path: 'a.txt' })
  expect(shown).toBe('     1\tone\n     2\t\ttwo\n     3\t\n     4\tfour\n(End of file: 4 lines.)')
  expect(output).toEqual({ kind: 'text', path: 'a.txt', from: 1, lines: 4, preview: 'one\n\ttwo\n\nfour' })
  expect(read.display?.(output, { file_path: 'a.txt' })).toEqual({
    title: 'Read a.txt',
    summary: 'lines 1 to 4',
    content: { kind: 'file', path: 'a.txt', text: 'one\n\ttwo\n\nfour', from: 1, lines: 4, more: false },
  })
})

test('a last line without a newline is a line, and an empty file is reported', async () => {
  ws.put('a.txt', 'one\ntwo')
  expect(await text({ file_path: 'a.txt' })).toBe('     1\tone\n     2\ttwo\n(End of file: 2 lines.)')
  ws.put('newline.txt', '\n')
  expect(await text({ file_path: 'newline.txt' })).toBe('     1\t\n(End of file: 1 line.)')
  ws.put('empty.txt', '')
  expect(await text({ file_path: 'empty.txt' })).toBe('empty.txt is empty (0 bytes).')
  ws.put('mark.txt', '\ufeff')
  expect(await text({ file_path: 'mark.txt' })).toBe('mark.txt is empty except for a byte order mark.')
})

test('2,000 lines are shown by default, then the offset to continue at', async () => {
  ws.put(
    'long.txt',
    lines(2500, (n) => String(n)),
  )
  const first = await text({ file_path: 'long.txt' })
  expect(first).toContain('\n  2000	2000\n(Showing lines 1-2000; there are more. Continue at offset 2001.)')
  expect(await text({ file_path: 'long.txt', offset: 2001 })).toMatch(
    /^ {2}2001\t2001\n[^]*\n\(End of file: 2500 lines.\)$/,
  )
  expect(await text({ file_path: 'long.txt', offset: 10, limit: 2 })).toBe(
    '    10	10\n    11	11\n(Showing lines 10-11; there are more. Continue at offset 12.)',
  )
  expect(await text({ file_path: 'long.txt', offset: 0, limit: 1 })).toMatch(/^ {5}1\t1\n/)
  await expect(text({ file_path: 'long.txt', offset: 2501 })).rejects.toThrow(
    'has 2500 lines; there is nothing at offset 2501',
  )
})

test.each([
  ['small', 600],
  ['big', 6000],
])('50 KB end a reading, and it can be continued without a gap (%s)', async (_, count) => {
  ws.put(
    'wide.txt',
    lines(count, (n) => `${n} ${'x'.repeat(100)}`),
  )
  const seen: number[] = []
  for (let offset = 1; ;) {
    const { text: shown, output } = await ws.call(read, { file_path: 'wide.txt', offset })
    expect(Buffer.byteLength(shown)).toBeLessThan(56 * 1024 + 8 * 600)
    seen.push(
      ...[...shown.matchAll(/^ *(\d+)\t(\d+) x/gm)].map((match) => (expect(match[1]).toBe(match[2]), Number(match[1]))),
    )
    if (output.kind !== 'text' || output.next === undefined) break
    offset = output.next
  }
  expect(seen).toEqual(Array.from({ length: count }, (_value, index) => index + 1))
  expect(ws.ctx.state.reads.get(ws.at('wide.txt'))?.partial).toBe(false)
})

test.each([3000, 400_000])('a line of %i characters is cut, with a note', async (length) => {
  ws.put('one-line.txt', `${'é'.repeat(length)}\nnext\n`)
  const shown = await text({ file_path: 'one-line.txt' })
  expect(shown).toBe(
    `     1\t${'é'.repeat(2000)} [truncated: the line has ${length * 2} bytes]\n     2\tnext\n(End of file: 2 lines.)`,
  )
  expect(ws.ctx.state.reads.get(ws.at('one-line.txt'))?.partial).toBe(true)
})

test('lines of exactly 2,000 characters are whole, and no cut splits a character', async () => {
  ws.put('exact.txt', `${'é'.repeat(2000)}\n${'😀'.repeat(1200)}\n`)
  const shown = await text({ file_path: 'exact.txt' })
  expect(shown).toContain(`     1\t${'é'.repeat(2000)}\n`)
  expect(shown).toContain(`     2\t${'😀'.repeat(1000)} [truncated: the line has 4800 bytes]`)
  ws.put('odd.txt', `x${'😀'.repeat(1200)}\n`)
  expect(await text({ file_path: 'odd.txt' })).toContain(`     1\tx${'😀'.repeat(999)} [truncated`)
})

test('the end of a long file is found by counting, with the same lines as any other tool finds', async () => {
  const file = ws.put(
    'big.txt',
    lines(200_000, (n) => `line ${n} ${'·'.repeat(n % 40)}`),
  )
  const wanted = execFileSync('sed', ['-n', '199801,200000p', file], { encoding: 'utf8' }).split('\n').slice(0, -1)
  const shown = (await text({ file_path: 'big.txt', offset: 199_801, limit: 200 })).split('\n')
  expect(shown.slice(0, -1).map((line) => line.split('\t')[1])).toEqual(wanted)
  expect(shown.at(-1)).toBe('(End of file: 200000 lines.)')
  await expect(text({ file_path: 'big.txt', offset: 200_001 })).rejects.toThrow('has 200000 lines')
  appendFileSync(file, 'no newline here')
  await expect(text({ file_path: 'big.txt', offset: 200_002 })).rejects.toThrow('has 200001 lines')
})

test.each([
  ['UTF-8 with a byte order mark', Buffer.from('\ufeffgrüße\r\n')],
  ['UTF-16 LE with a byte order mark', Buffer.from('\ufeffgrüße\r\n', 'utf16le')],
  ['UTF-16 BE with a byte order mark', Buffer.from('\ufeffgrüße\r\n', 'utf16le').swap16()],
  ['Latin-1', Buffer.from('grüße\r\n', 'latin1')],
])('%s is read, without its mark, and named', async (name, bytes) => {
  ws.put('a.txt', bytes)
  expect(await text({ file_path: 'a.txt' })).toBe(
    `     1\tgrüße\n(End of file: 1 line. ${name}, CRLF line endings; preserved when you change the file.)`,
  )
})

test.each(['utf16le', 'latin1', 'utf8'] as const)('a long file in %s is read like a short one', async (encoding) => {
  const mark = encoding === 'latin1' ? '' : '\ufeff'
  ws.put('big.txt', Buffer.from(mark + lines(50_000, (n) => `größe ${n}`), encoding))
  expect(await text({ file_path: 'big.txt', offset: 49_999 })).toMatch(
    /^ 49999\tgröße 49999\n 50000\tgröße 50000\n\(End of file: 50000 lines\. (UTF-16 LE|Latin-1|UTF-8)/,
  )
})

test('invalid UTF-8 bytes are shown as such, and the rest is readable', async () => {
  ws.put('a.txt', Buffer.concat([Buffer.from('größe, weiß, '), Buffer.from([0xe9]), Buffer.from(' x\n')]))
  expect(await text({ file_path: 'a.txt' })).toContain('größe, weiß, � x')
})

test('a character on the border of two chunks stays whole', async () => {
  ws.put('big.txt', `${'x'.repeat(2 ** 18 - 1)}😀\nnext\n${'y'.repeat(100)}\n`)
  const shown = await text({ file_path: 'big.txt', offset: 2 })
  expect(shown).toContain('     2\tnext')
  expect(shown).not.toContain('�')
})

test('folders are listed, missing files get suggestions, and nothing else is guessed', async () => {
  ws.put('src/index.ts', '')
  ws.put('src/index.test.ts', '')
  ws.put('src/Makefile', '')
  expect(await text({ file_path: 'src' })).toBe('src/\n  Makefile\n  index.test.ts\n  index.ts')
  await expect(text({ file_path: 'src/idnex.ts' })).rejects.toThrow(
    'src/idnex.ts does not exist. Did you mean src/index.ts?',
  )
  await expect(text({ file_path: 'src/index.js' })).rejects.toThrow('Did you mean src/index.ts')
  await expect(text({ file_path: 'src/makefile' })).rejects.toThrow('Did you mean src/Makefile?')
  await expect(text({ file_path: 'scr/index.ts' })).rejects.toThrow('Did you mean src/index.ts?')
  await expect(text({ file_path: 'something-else-entirely' })).rejects.toThrow('Find it with Glob or ListDir')
})

test('binaries are rejected by kind, detected by their bytes and not by their name', async () => {
  ws.put('a.txt', Buffer.from([0x1f, 0x8b, 8, 0, 0, 0, 0, 0]))
  await expect(text({ file_path: 'a.txt' })).rejects.toThrow('a.txt is gzip data, 8 bytes, not text')
  ws.put('b', Buffer.from('PK\x03\x04\0\0'))
  await expect(text({ file_path: 'b' })).rejects.toThrow('ZIP archive')
  ws.put('c', Buffer.from([1, 2, 3, 4, 5, 6, 0]))
  await expect(text({ file_path: 'c' })).rejects.toThrow('binary data')
  ws.put('d.png', 'MZ is how this plain text begins\n')
  expect(await text({ file_path: 'd.png' })).toContain('MZ is how')
})

const png = Buffer.concat([
  Buffer.from('89504e470d0a1a0a0000000d49484452', 'hex'),
  Buffer.from([0, 0, 2, 128, 0, 0, 1, 224, 8, 6, 0, 0, 0]),
])

test('a photo has the facts of its camera', async () => {
  ws.put(
    'photo.jpg',
    Buffer.concat([Buffer.from('ffd8ffe00004abcdffc0000b0800f00140010111', 'hex'), Buffer.from('Exif')]),
  )
  ws.put('drawing.png', png)
  const format = { format: 'image', title: 'an image', mediaType: 'image/jpeg' }
  const documents = {
    identify: () => Promise.resolve(format),
    read: () => Promise.resolve({ ...format, facts: 'JPEG', text: 'Camera: Acme One' }),
  }
  const photo = await ws.call(read, { file_path: 'photo.jpg' }, { documents })
  expect(photo.text).toMatch(/^photo\.jpg is an image \(JPEG\), 320 x 240 pixels.*\nCamera: Acme One$/)
  // Without a header for it, the file is not read a second time.
  expect((await ws.call(read, { file_path: 'drawing.png' }, { documents })).text).not.toContain('Camera')
})

test('an HTML page is text with numbered paragraphs, and its source on request', async () => {
  const source = '<p>Hello</p>\n<script>run()</script>\n'
  ws.put('page.html', source)
  ws.put('app.html', '<div id="root"></div>\n')
  const format = { format: 'html', title: 'an HTML page', mediaType: 'text/html' }
  const documents = {
    identify: () => Promise.resolve(format),
    read: ({ path }: { path: string }, { offset = 1 }: { offset?: number | undefined }) =>
      offset > 1
        ? Promise.reject(new Error('The document has 1 paragraph; there is none at offset 2.'))
        : Promise.resolve(
            path.endsWith('page.html')
              ? { ...format, facts: '1 paragraph', text: '[¶ 1] Hello' }
              : { ...format, facts: '0 paragraphs', text: '' },
          ),
  }
  const page = await ws.call(read, { file_path: 'page.html' }, { documents })
  expect(page.text).toMatch(/^page\.html is an HTML page: 1 paragraph\.\n.*"raw": true.*\n\n\[¶ 1\] Hello$/)
  await expect(ws.call(write, { file_path: 'page.html', content: 'x' }, { documents })).rejects.toThrow('"raw": true')
  await expect(ws.call(read, { file_path: 'page.html', offset: 2 }, { documents })).rejects.toThrow('"raw": true')
  expect((await ws.call(read, { file_path: 'page.html', raw: true }, { documents })).text).toContain('\t<p>Hello</p>')
  await ws.call(write, { file_path: 'page.html', content: 'x' }, { documents })
  // A page without text, such as one that a script fills, is shown as its source.
  expect((await ws.call(read, { file_path: 'app.html' }, { documents })).text).toContain('<div id="root">')
})

test('an image is described and stored as a blob if there is a store', async () => {
  ws.put('pic.dat', png)
  const without = await ws.call(read, { file_path: 'pic.dat' })
  expect(without.text).toBe('pic.dat is an image (PNG), 640 x 480 pixels, 29 bytes. Its content cannot be shown here.')
  expect(without.output).toEqual({
    kind: 'image',
    path: 'pic.dat',
    mediaType: 'image/png',
    size: 29,
    width: 640,
    height: 480,
  })
  const put: string[] = []
  const blobs = {
    put: (bytes: Uint8Array, mediaType: string) => {
      put.push(Buffer.from(bytes).toString('hex'))
      return Promise.resolve({ sha256: 'f'.repeat(64), size: bytes.length, mediaType })
    },
    get: () => Promise.resolve(undefined),
  }
  const kept = await ws.call(read, { file_path: 'pic.dat' }, { blobs })
  expect(kept.text).toContain(`It is stored as blob ${'f'.repeat(64)}.`)
  expect(put).toEqual([png.toString('hex')])
  expect(read.display?.(kept.output, { file_path: '' })?.content).toEqual({
    kind: 'image',
    path: 'pic.dat',
    mediaType: 'image/png',
    size: 29,
    sha256: 'f'.repeat(64),
  })
})

test.each([
  ['image/gif', Buffer.from('47494638396140010000f00000000000', 'hex')],
  ['image/jpeg', Buffer.from('ffd8ffe00004abcdffc0000b0800f00140010111', 'hex')],
  ['image/webp', Buffer.from('524946460000000057454250565038580a000000000000003f0100ef0000', 'hex')],
])('%s is known by its first bytes', async (mediaType, bytes) => {
  ws.put('x', bytes)
  expect((await ws.call(read, { file_path: 'x' })).output).toMatchObject({ kind: 'image', mediaType, width: 320 })
})

test('a PDF is known by its first bytes', async () => {
  ws.put('x', '%PDF-1.7\n1 0 obj\n')
  const { output, text: shown } = await ws.call(read, { file_path: 'x' })
  expect(output).toMatchObject({ kind: 'pdf', mediaType: 'application/pdf', size: 17 })
  expect(shown).toContain('x is a PDF document, 17 bytes.')
})

const notebook = {
  cells: [
    { cell_type: 'markdown', id: 'intro', metadata: {}, source: ['# Title\n', 'text'] },
    {
      cell_type: 'code',
      id: 'calc',
      metadata: {},
      source: 'print(1)',
      execution_count: 3,
      outputs: [
        { output_type: 'stream', name: 'stdout', text: ['1\n'] },
        { output_type: 'display_data', data: { 'image/png': 'aGVsbG8=', 'text/plain': ['<Figure>'] } },
        { output_type: 'error', ename: 'NameError', evalue: 'x', traceback: ['\u001b[31mTraceback\u001b[0m'] },
        { output_type: 'stream', name: 'stdout', text: 'y'.repeat(3000) },
      ],
    },
  ],
  metadata: { language_info: { name: 'python' } },
  nbformat: 4,
  nbformat_minor: 5,
}

test('a notebook is listed by cell, with ids, types, sources and short outputs', async () => {
  ws.put('n.ipynb', JSON.stringify(notebook))
  const shown = await text({ file_path: 'n.ipynb' })
  expect(shown).toContain('<cell number="0" id="intro" type="markdown">\n# Title\ntext\n</cell>')
  expect(shown).toContain('<cell number="1" id="calc" type="code">\nprint(1)\n<output>\n1\n</output>')
  expect(shown).toContain('<Figure>\n[image/png]')
  expect(shown).toContain('NameError: x\nTraceback\n')
  expect(shown).toContain('[truncated: the output has 3000 characters]')
  expect(shown).not.toContain('aGVsbG8')
  expect(shown).toMatch(/\(End of notebook: 2 cells, numbered from 0; language python.\)$/)
  expect(await text({ file_path: 'n.ipynb', limit: 1 })).toMatch(/Continue at offset 1.\)$/)
  expect(await text({ file_path: 'n.ipynb', offset: 1 })).toMatch(/^<cell number="1"/)
  ws.put('broken.ipynb', '{"cells": [')
  expect(await text({ file_path: 'broken.ipynb' })).toContain('     1\t{"cells": [')
})

test('notes of the folder and its parents are attached once per agent', async () => {
  ws.put('AGENTS.md', 'Use tabs.')
  ws.put('pkg/CLAUDE.md', 'Package notes.')
  ws.put('pkg/deep/AGENTS.md', 'Deep notes.')
  ws.put('pkg/deep/CLAUDE.md', 'More of them.')
  ws.put('pkg/deep/a.txt', 'a\n')
  ws.put('pkg/b.txt', 'b\n')
  expect(await text({ file_path: 'pkg/deep/a.txt' })).toBe(
    [
      '     1\ta\n(End of file: 1 line.)',
      'Notes from AGENTS.md, for everything in its folder:\nUse tabs.',
      'Notes from pkg/CLAUDE.md, for everything in its folder:\nPackage notes.',
      'Notes from pkg/deep/AGENTS.md, for everything in its folder:\nDeep notes.',
      'Notes from pkg/deep/CLAUDE.md, for everything in its folder:\nMore of them.',
    ].join('\n\n'),
  )
  expect(await text({ file_path: 'pkg/deep/a.txt' })).not.toContain('Notes from')
  expect(await text({ file_path: 'pkg/b.txt' })).not.toContain('Notes from')
  const other = ws.another()
  const own = (await ws.call(read, { file_path: 'pkg/CLAUDE.md' }, other)).text
  expect(own).toContain('     1\tPackage notes.')
  expect(own).toContain('Use tabs.')
  expect(own).not.toContain('Notes from pkg/CLAUDE.md')
})

test('notes outside the workspace are not attached', async () => {
  ws.put('a.txt', 'a\n')
  writeFileSync(`${ws.root}/../secret`, 'canary')
  symlinkSync('../secret', ws.at('AGENTS.md'))
  expect(await text({ file_path: 'a.txt' })).toBe('     1\ta\n(End of file: 1 line.)')
})

test('a read is recorded: whole with its hash, or as a part', async () => {
  ws.put('a.txt', 'one\ntwo\n')
  await text({ file_path: 'a.txt', limit: 1 })
  expect(ws.ctx.state.reads.get(ws.at('a.txt'))).toMatchObject({ partial: true, size: 8, shown: [[1, 1]] })
  await text({ file_path: 'a.txt', offset: 2 })
  expect(ws.ctx.state.reads.get(ws.at('a.txt'))).toMatchObject({ partial: false, sha256: /^[0-9a-f]{64}$/ })
  await text({ file_path: 'a.txt', limit: 1 })
  expect(ws.ctx.state.reads.get(ws.at('a.txt'))?.partial).toBe(false)
  ws.put('a.txt', 'changed\ntwo\n')
  await text({ file_path: 'a.txt', limit: 1 })
  expect(ws.ctx.state.reads.get(ws.at('a.txt'))).toMatchObject({ partial: true, shown: [[1, 1]] })
})

test.each(['with space.txt', 'two\nlines.txt', '-rf', '😀.txt', "quote'.txt", 'a..b', '$(touch x).txt', ' lead'])(
  'the name %j is only a name',
  async (name) => {
    ws.put(name, 'content\n')
    expect(await text({ file_path: name })).toContain('     1\tcontent')
    expect(await text({ file_path: ws.at(name) })).toContain('     1\tcontent')
  },
)

test('a pipe is rejected at once', async () => {
  execFileSync('mkfifo', [ws.at('pipe')])
  await expect(text({ file_path: 'pipe' })).rejects.toThrow('is a named pipe')
})

test.skipIf(process.getuid?.() === 0)('a file that may not be read is an error in words', async () => {
  ws.put('locked', 'x')
  chmodSync(ws.at('locked'), 0)
  await expect(text({ file_path: 'locked' })).rejects.toThrow('locked cannot be read: permission denied.')
})

test('a file that grows, shrinks or vanishes during a read neither blocks nor breaks it', async () => {
  const file = ws.put(
    'log.txt',
    lines(100_000, (n) => `line ${n}`),
  )
  const reading = text({ file_path: 'log.txt', offset: 99_999 })
  for (let i = 0; i < 50; i++)
    appendFileSync(
      file,
      lines(100, () => 'more'),
    )
  expect(await reading).toMatch(/^ 99999\tline 99999\n100000\tline 100000\n/)
  const shrinking = text({ file_path: 'log.txt', offset: 99_999 })
  truncateSync(file, 10)
  await expect(shrinking).rejects.toThrow(/there is nothing at offset 99999/)
  writeFileSync(file, lines(100_000))
  const vanishing = text({ file_path: 'log.txt', offset: 99_999 })
  rmSync(file)
  expect(await vanishing).toContain('line 100000')
})

test('a stop ends the reading of a long file', async () => {
  ws.put('big.txt', lines(300_000))
  const controller = new AbortController()
  const reading = ws.call(read, { file_path: 'big.txt', offset: 299_999 }, { signal: controller.signal })
  controller.abort(new Error('stopped'))
  await expect(reading).rejects.toThrow('stopped')
})

test('reading writes nothing', async () => {
  ws.put('sub/a.txt', 'x\n')
  const before = execFileSync('find', [ws.root, '-printf', '%p %T@ %C@\n'], { encoding: 'utf8' })
  await text({ file_path: 'sub/a.txt' })
  await text({ file_path: 'sub' })
  expect(execFileSync('find', [ws.root, '-printf', '%p %T@ %C@\n'], { encoding: 'utf8' })).toBe(before)
})

test('a folder is listed in pages', async () => {
  for (const name of 'abcde') ws.put(`d/${name}`, name)
  const page = async (range: object): Promise<string> => (await ws.call(read, { file_path: 'd', ...range })).text
  expect(await page({ limit: 2 })).toBe('d/\n  a\n  b\n  ... (3 more)\n(Entries 1 to 2 of 5; continue with offset 3.)')
  expect(await page({ offset: 3, limit: 2 })).toContain('  c\n  d\n')
  expect(await page({ offset: 5 })).toBe('d/\n  e')
  await expect(page({ offset: 6 })).rejects.toThrow('d has 5 entries; there is none at offset 6.')
})

test('a name with an untypable space is found, unless a rule hides it', async () => {
  const name = 'Screenshot 1.23\u202fPM.txt'
  ws.put(name, 'seen')
  expect((await ws.call(read, { file_path: 'Screenshot 1.23 PM.txt' })).text).toContain('seen')
  const granted = { confinement: 'none' as const, grants: [], hides: (file: string) => file.endsWith(name) }
  await expect(ws.call(read, { file_path: 'Screenshot 1.23 PM.txt' }, { granted })).rejects.toThrow(/does not exist/)
})

test.each([
  [1, '1 entry'],
  [2, '2 entries'],
])('a folder of %i says "%s"', async (count, says) => {
  for (let n = 0; n < count; n++) ws.put(`d/${n}`, '')
  const { output } = await ws.call(read, { file_path: 'd' })
  expect(read.display?.(output, { file_path: 'd' })?.summary).toBe(says)
})

test('texts are converted by their names, or by their start if the name says nothing', () => {
  const isConverted = (name: string, start: string): boolean => isConvertedText(name, Buffer.from(start))
  const page = '<!DOCTYPE html><html></html>'
  const mail = 'Received: by x\n  for y\nMIME-Version: 1.0\n\nHi'
  for (const [name, start] of [
    ['a.eml', 'x'],
    ['a.doc', page],
    ['a.xls', 'a,b\n1,2'],
    ['a.txt', page],
    ['folder/download', page],
    ['a.txt', '{\\rtf1 x}'],
    ['a.dat', mail],
    ['contacts', 'BEGIN:VCARD\n'],
  ] as const)
    expect([name, start, isConverted(name, start)]).toEqual([name, start, true])
  for (const [name, start] of [
    ['a.vue', page],
    ['a.csv', 'a,b'],
    ['a.txt', 'Title: notes\nDate: today\n'],
    ['a.patch', mail],
    ['Makefile', 'all:\n\tcc x\n'],
    ['a.txt', 'a:\n'.repeat(2000)],
  ] as const)
    expect([name, isConverted(name, start)]).toEqual([name, false])
})
