import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createAgentState } from '../run/create-agent-state.ts'
import type { GrepOutput } from '../search/grep-output.ts'
import { testToolContext } from '../testing/test-tool-context.ts'
import { unwrapResult } from '../tool/tool.ts'
import grep from './grep.ts'

let base: string
let workspace: string

beforeAll(() => {
  base = realpathSync(mkdtempSync(path.join(tmpdir(), 'grep-')))
  workspace = path.join(base, 'ws')
  mkdirSync(workspace)
})
afterAll(() => rmSync(base, { recursive: true, force: true }))

function write(file: string, content: string | Buffer, age = 0): void {
  const full = path.join(workspace, file)
  mkdirSync(path.dirname(full), { recursive: true })
  writeFileSync(full, content)
  utimesSync(full, 1_700_000_000 - age, 1_700_000_000 - age)
}

async function call(given: Record<string, unknown>, signal?: AbortSignal) {
  const state = createAgentState({ workspace, outputFolder: path.join(base, 'output') })
  const input = grep.input.parse(given)
  const returned = await grep.execute(input, testToolContext({ state, ...(signal && { signal }) }))
  const { output, modelText } = unwrapResult(returned)
  return { output: output as GrepOutput, text: modelText ?? '', display: grep.display!(output as never, input) }
}

describe('files', () => {
  test('are named newest first, with the total, in pages', async () => {
    for (let i = 0; i < 5; i++) write(`files/${i}.txt`, 'needle', i)
    const all = await call({ pattern: 'needle', path: 'files' })
    expect(all.text).toBe(
      '5 files with matches, newest first:\n' + [0, 1, 2, 3, 4].map((i) => `files/${i}.txt`).join('\n'),
    )
    const page = await call({ pattern: 'needle', path: 'files', head_limit: 2, offset: 1 })
    expect(page.text).toBe(
      '5 files with matches, newest first:\nfiles/1.txt\nfiles/2.txt\n(2 more; continue with "offset": 3, or narrow the search)',
    )
    expect((await call({ pattern: 'needle', path: 'files', offset: 9 })).text).toContain(
      'No results after offset 9: 5 files in total',
    )
    expect(all.display.content).toMatchObject({ kind: 'list', left: 0 })
  })

  test('with secrets are skipped without revealing matches, unless "path" names one', async () => {
    write('secret/.env', 'KEY=needle')
    write('secret/deep/id_ed25519', 'needle')
    write('secret/.env.example', 'needle')
    const note = '(Not searched, because of secrets or a rule: .env. To search one, give it as "path".)'
    for (const mode of ['files_with_matches', 'content', 'count']) {
      const found = await call({ pattern: 'needle', path: 'secret', output_mode: mode })
      expect(found.text).toContain('.env.example')
      expect(found.text).not.toContain('id_ed25519')
      expect(found.text.split('\n').at(-1)).toBe(note)
      const guess = await call({ pattern: 'KEY=n', path: 'secret', output_mode: mode })
      const wrong = await call({ pattern: 'KEY=x', path: 'secret', output_mode: mode })
      expect(guess.text).toBe(wrong.text.replace('KEY=x', 'KEY=n'))
    }
    expect((await call({ pattern: 'needle', path: 'secret/.env', output_mode: 'content' })).text).toContain(
      'KEY=needle',
    )
  })

  test('that are ignored are skipped, even if a glob matches; hidden ones are searched', async () => {
    write('ignoring/.gitignore', 'generated.ts\n')
    write('ignoring/generated.ts', 'needle')
    write('ignoring/.hidden.ts', 'needle')
    write('ignoring/a.md', 'needle')
    expect((await call({ pattern: 'needle', path: 'ignoring', glob: '*.ts' })).output).toMatchObject({
      files: ['ignoring/.hidden.ts'],
    })
    expect((await call({ pattern: 'needle', path: 'ignoring/generated.ts' })).output).toMatchObject({
      files: ['ignoring/generated.ts'],
    })
  })

  test('are chosen by globs and types', async () => {
    for (const file of ['a.ts', 'a.test.ts', 'b.js', 'src/c.ts', 'src/d.tsx', 'src/e.py'])
      write(`chosen/${file}`, 'needle')
    const files = async (given: object) => {
      const { output } = await call({ pattern: 'needle', path: 'chosen', ...given })
      return (output as GrepOutput & { files: string[] }).files.map((file) => file.replace('chosen/', '')).toSorted()
    }
    expect(await files({ glob: '*.ts' })).toEqual(['a.test.ts', 'a.ts', 'src/c.ts'])
    expect(await files({ glob: '*.ts, *.js' })).toEqual(['a.test.ts', 'a.ts', 'b.js', 'src/c.ts'])
    expect(await files({ glob: 'src/*.{ts,tsx}' })).toEqual(['src/c.ts', 'src/d.tsx'])
    expect(await files({ glob: '*.ts,!*.test.ts' })).toEqual(['a.ts', 'src/c.ts'])
    expect(await files({ glob: '!*.test.ts' })).toEqual(['a.ts', 'b.js', 'src/c.ts', 'src/d.tsx', 'src/e.py'])
    expect(await files({ type: 'py' })).toEqual(['src/e.py'])
    expect(await files({ type: 'ts', glob: 'src/**' })).toEqual(['src/c.ts', 'src/d.tsx'])
  })

  test('with odd names are named on one line each', async () => {
    for (const file of ['two\nlines', '-dash', 'sp ace', '😀']) write(`odd/${file}.txt`, 'needle')
    expect((await call({ pattern: 'needle', path: 'odd' })).text.split('\n').toSorted()).toEqual(
      [
        '"odd/two\\nlines.txt"',
        '4 files with matches, newest first:',
        'odd/-dash.txt',
        'odd/sp ace.txt',
        'odd/😀.txt',
      ].toSorted(),
    )
    expect((await call({ pattern: 'needle', path: 'odd', output_mode: 'content' })).output).toMatchObject({
      files: [
        { path: 'odd/-dash.txt' },
        { path: 'odd/sp ace.txt' },
        { path: 'odd/two\nlines.txt' },
        { path: 'odd/😀.txt' },
      ],
    })
  })

  test('are sorted by path if there are thousands, and the result says so', async () => {
    for (let i = 0; i < 2001; i++) writeFileSync(path.join(workspace, `ignoring/n${i}.txt`), 'thousandth')
    const { text } = await call({ pattern: 'thousandth' })
    expect(text).toMatch(/^2,001 files with matches, by path:\nignoring\/n0.txt\nignoring\/n1.txt\nignoring\/n10.txt\n/)
    expect(text).toContain('(1,901 more; continue with "offset": 100')
    rmSync(path.join(workspace, 'ignoring'), { recursive: true })
  })
})

describe('content', () => {
  test('is sorted by file and line, with context and gaps', async () => {
    write('code/b.ts', 'one\ntwo\nthree needle\nfour\nfive\nsix\nseven needle\neight\n')
    write('code/a/z.ts', 'a needle\r\nb\r\n')
    const plain = await call({ pattern: 'needle', path: 'code', output_mode: 'content' })
    expect(plain.text).toBe(
      'code/a/z.ts\n1:a needle\n\ncode/b.ts\n3:three needle\n7:seven needle\n\n(3 lines in 2 files)',
    )
    const around = await call({ pattern: 'needle', path: 'code/b.ts', output_mode: 'content', '-C': 1 })
    expect(around.text).toBe(
      'code/b.ts\n2-two\n3:three needle\n4-four\n--\n6-six\n7:seven needle\n8-eight\n\n(6 lines in 1 file)',
    )
    const after = await call({ pattern: 'three', path: 'code', output_mode: 'content', '-A': 2, '-n': false })
    expect(after.text).toContain('code/b.ts\nthree needle\nfour\nfive\n')
    expect(around.display.content).toMatchObject({ kind: 'matches', files: [{ path: 'code/b.ts' }], more: false })
  })

  test('continues from page to page without a gap', async () => {
    for (let i = 0; i < 30; i++) write(`pages/${i % 3}/${i}.txt`, `page one ${i}\npage two ${i}\n`)
    const all = await call({ pattern: 'page', path: 'pages', output_mode: 'content' })
    const lines = (output: GrepOutput) =>
      output.mode === 'content'
        ? output.files.flatMap((file) => file.lines.map((line) => `${file.path} ${line.text}`))
        : []
    expect(lines(all.output)).toHaveLength(60)
    const paged: string[] = []
    for (let offset = 0; offset < 60; offset += 7) {
      const page = await call({ pattern: 'page', path: 'pages', output_mode: 'content', offset, head_limit: 7 })
      if (offset + 7 < 60) expect(page.text).toContain(`continue with "offset": ${offset + 7}`)
      else expect(page.text).toContain('(Lines 57 to 60, the last)')
      paged.push(...lines(page.output))
    }
    expect(paged).toEqual(lines(all.output))
  })

  test('of long lines is cut around the match, with marks', async () => {
    write('long.txt', `${'x'.repeat(5000)}needle${'y'.repeat(100_000)}\n${'z'.repeat(400)}needle${'z'.repeat(400)}\n`)
    const { output, text } = await call({ pattern: 'needle', path: 'long.txt', output_mode: 'content' })
    expect(text).toMatch(/1:\[4900 characters\] … x{100}needley{394} … \[more than \d+ more characters\]/)
    expect(output).toMatchObject({
      files: [
        {
          lines: [
            { number: 1 },
            { number: 2, text: `[300 characters] … ${'z'.repeat(100)}needle${'z'.repeat(394)} … [6 more characters]` },
          ],
        },
      ],
    })
  })

  test('across lines needs multiline, and the error says so', async () => {
    write('multi.txt', 'start\nmiddle\nend\n')
    await expect(call({ pattern: 'start\\nmiddle', path: 'multi.txt' })).rejects.toThrow('Set "multiline": true')
    const { text } = await call({ pattern: 'start.*end', path: 'multi.txt', multiline: true, output_mode: 'content' })
    expect(text).toContain('1:start\n2:middle\n3:end')
  })

  test('of binary files is noted, not shown', async () => {
    write('binary/late.bin', Buffer.from(`${'text\n'.repeat(30_000)}needle\n${'text\n'.repeat(30_000)}\0\n`))
    write('binary/early.bin', Buffer.from('\0\0needle\n'))
    const { text } = await call({ pattern: 'needle', path: 'binary', output_mode: 'content' })
    expect(text).toContain('binary/late.bin\n30001:needle')
    expect(text).toContain('Binary files that match, not shown: binary/late.bin')
    const named = await call({ pattern: 'needle', path: 'binary/early.bin', output_mode: 'content' })
    expect(named.text).toBe('No lines of text match.\n(Binary files that match, not shown: binary/early.bin)')
  })

  test('that is too long for one answer is stored in a file', async () => {
    write('much.txt', `${'much '.repeat(90)}\n`.repeat(200))
    const { text } = await call({ pattern: 'much', path: 'much.txt', output_mode: 'content' })
    const file = /All \d+ characters are in (\S+):/.exec(text)?.[1] ?? ''
    expect(text.length).toBeLessThan(31_000)
    expect(readFileSync(file, 'utf8')).toMatch(/^much\.txt\n1:much/)
    expect(readFileSync(file, 'utf8')).toContain('continue with "offset": 100')
  })

  test('of an endless number of lines ends ripgrep early', async () => {
    write('endless.txt', 'the same line\n'.repeat(500_000))
    const { output, text } = await call({ pattern: 'same', path: 'endless.txt', output_mode: 'content' })
    expect(output).toMatchObject({ more: true, files: [{ lines: { length: 100 } }] })
    expect(text).toContain('(Lines 1 to 100; there are more')
  })
})

test('counts tell lines per file and in all', async () => {
  write('count/a.txt', 'x\nx x\ny\n')
  write('count/b\nc.txt', 'x\n')
  expect((await call({ pattern: 'x', path: 'count', output_mode: 'count' })).text).toBe(
    '3 matching lines in 2 files:\ncount/a.txt:2\n"count/b\\nc.txt":1',
  )
})

describe('patterns', () => {
  beforeAll(() =>
    write('patterns/p.txt', '-needle\n--files\nfoo(bar)\nInterface{}\nfoobar foobaz\nabab\nback\\slash $HOME *\n'),
  )
  const lines = async (given: object) => {
    const { output } = await call({ path: 'patterns', output_mode: 'content', ...given })
    return (output as GrepOutput & { mode: 'content' }).files.flatMap((file) => file.lines.map((line) => line.text))
  }

  test('may begin with a dash', async () => {
    expect(await lines({ pattern: '-needle' })).toEqual(['-needle'])
    expect(await lines({ pattern: '--files' })).toEqual(['--files'])
    expect(await lines({ pattern: '-n' })).toEqual(['-needle'])
  })

  test('may ignore case', async () => {
    expect(await lines({ pattern: 'interface', '-i': true })).toEqual(['Interface{}'])
    expect(await lines({ pattern: 'interface' })).toEqual([])
  })

  test('with look-around or backreferences use PCRE2, and the result says so', async () => {
    expect(await lines({ pattern: 'foo(?=baz)' })).toEqual(['foobar foobaz'])
    expect(await lines({ pattern: '(ab)\\1' })).toEqual(['abab'])
    expect((await call({ pattern: 'foo(?!ba)', path: 'patterns' })).text).toContain('Searched with PCRE2')
  })

  test('that are invalid are rejected with the reason and the escaped form', async () => {
    for (const output_mode of ['files_with_matches', 'content', 'count']) {
      await expect(call({ pattern: 'foo(', path: 'patterns', output_mode })).rejects.toThrow(
        /nothing was searched[^]*unclosed group[^]*"foo\\\\\("/,
      )
    }
    await expect(call({ pattern: 'Interface{}', path: 'patterns' })).rejects.toThrow('"Interface\\\\{\\\\}"')
    await expect(call({ pattern: '(?<=a+)b(', path: 'patterns' })).rejects.toThrow('not a valid regular expression')
    await expect(call({ pattern: 'a\0b' })).rejects.toThrow('NUL')
  })
})

test('no match, a missing path, an unknown type and an outside path have distinct errors', async () => {
  expect((await call({ pattern: 'zebra', glob: '*.txt' })).text).toBe(
    'No matches for "zebra" in the working directory (glob *.txt).',
  )
  await expect(call({ pattern: 'x', path: 'nowhere' })).rejects.toThrow(
    '"nowhere" does not exist, so nothing was searched',
  )
  await expect(call({ pattern: 'x', type: 'klingon' })).rejects.toThrow('"*.klingon"')
  await expect(call({ pattern: 'root', path: '/etc/passwd' })).rejects.toThrow('outside the workspace')
})

test.skipIf(process.getuid?.() === 0)('an unreadable file is listed with the matches', async () => {
  write('closed/a.txt', 'needle')
  write('closed/b.txt', 'needle')
  execFileSync('chmod', ['000', path.join(workspace, 'closed/b.txt')])
  const { text } = await call({ pattern: 'needle', path: 'closed' })
  expect(text).toContain('closed/a.txt')
  expect(text).toContain('1 file or folder could not be read')
})

test('pipes are skipped, and a stop ends the search', async () => {
  execFileSync('mkfifo', [path.join(workspace, 'code/pipe')])
  expect((await call({ pattern: 'three', path: 'code' })).output).toMatchObject({ total: 1 })
  const controller = new AbortController()
  const searching = call({ pattern: '.', output_mode: 'content', head_limit: 0 }, controller.signal)
  controller.abort(new Error('stopped by the person'))
  await expect(searching).rejects.toThrow('stopped by the person')
})

test.each([
  ['ASCII', 'x'.repeat(60_000), 60_000],
  ['characters of three bytes', '漢'.repeat(20_000), 60_000],
  ['a match that ripgrep prints, behind characters of three bytes', '漢'.repeat(600), undefined],
])('a match far behind the start of its line is shown: %s', async (_name, before, bytes) => {
  write('far.txt', `first\n${before}needle ${'y'.repeat(30_000)}\nlast\n`)
  const { text } = await call({ pattern: 'needle', output_mode: 'content', path: 'far.txt' })
  expect(text).toContain('needle yyy')
  if (bytes !== undefined) expect(text).toMatch(/^2:\[\d+ bytes\] … /m)
  expect(text.length).toBeLessThan(1500)
})
