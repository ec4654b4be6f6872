import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { longestPause, pauseLimitMs } from '../testing/test-tool-context.ts'
import { openTestWorkspace, type TestWorkspace } from '../testing/test-workspace.ts'
import type { Tool } from '../tool/tool.ts'
import applyPatch from './apply-patch.ts'
import edit from './edit.ts'
import notebookEdit from './notebook-edit.ts'
import read from './read.ts'
import write from './write.ts'

let place: TestWorkspace
beforeEach(() => {
  place = openTestWorkspace()
})
afterEach(() => {
  place.close()
})

const same = '    return null;\n'
const records = Array.from(
  { length: 3000 },
  (_, n) =>
    `  {\n    "id": ${n},\n    "name": "user ${n}",\n    "tags": [\n      "a",\n      "b"\n    ],\n    "on": true\n  },\n`,
)
const numbered = (count: number, word = 'line'): string =>
  Array.from({ length: count }, (_, n) => `${word} ${n} of the file`).join('\n')

interface Case {
  name: string
  file: string
  call: () => [Tool, object]
  says: RegExp
}

const change = (old: string, now = 'x', more: object = {}): [Tool, object] => [
  edit,
  { file_path: 'f', old_string: old, new_string: now, ...more },
]
const patch = (hunks: string): [Tool, object] => [
  applyPatch,
  { patch: `*** Begin Patch\n*** Update File: f\n${hunks}\n*** End Patch` },
]
const middleWrong = same.repeat(150) + '    return nul;\n' + same.repeat(150)

const cases: Case[] = [
  {
    name: '301 lines that repeat themselves, one of them wrong',
    file: same.repeat(50_000),
    call: () => change(middleWrong),
    says: /The closest match is lines 1-302\. Line 151 differs: the file has " {4}return null;"/,
  },
  {
    name: 'the same with CRLF',
    file: same.repeat(50_000).replaceAll('\n', '\r\n'),
    call: () => change(middleWrong),
    says: /Line 151 differs/,
  },
  {
    name: 'the same as a patch',
    file: same.repeat(50_000),
    call: () => patch(`@@\n${middleWrong.replace(/\n$/, '').replace(/^/gm, '-')}`),
    says: /Hunk 1 .* Line 151 differs/s,
  },
  {
    name: '900 lines of many records, one character wrong',
    file: records.join(''),
    call: () => change(records.slice(1000, 1100).join('').replace('user 1050', 'user 105O')),
    says: /Line 9453 differs: the file has " {4}\\"name\\": \\"user 1050\\","/,
  },
  {
    name: 'a line of blanks',
    file: `${' '.repeat(500_000)}x\n`,
    call: () => change('\nfoo bar baz'),
    says: /There is no close match/,
  },
  {
    name: 'indentation of blanks without end',
    file: `${' '.repeat(200_000)}a\n${' '.repeat(200_000)}b\n`,
    call: () => change('a\n b\n', 'c\n'),
    says: /not in the file/,
  },
  {
    name: 'one character over and over',
    file: 'a'.repeat(3_000_000),
    call: () => change(`${'a'.repeat(5000)}b${'a'.repeat(5000)}`),
    says: /not in the file/,
  },
  {
    name: 'a text that is half of the file',
    file: 'a'.repeat(1_000_000),
    call: () => change(`${'a'.repeat(250_000)}b${'a'.repeat(250_000)}`),
    says: /not in the file/,
  },
  {
    name: 'one line of 20 MB',
    file: 'word '.repeat(4_000_000),
    call: () => change('wurd word'),
    says: /not in the file/,
  },
  {
    name: '100,000 places',
    file: 'let a = 1\n'.repeat(100_000),
    call: () => change('a = 1', 'b = 2', { replace_all: true }),
    says: /\(\+100000 -100000\).*Replaced 100000 occurrences/s,
  },
  {
    name: '100,000 places in one line, with CRLF behind it',
    file: `${'let a = 1;'.repeat(100_000)}\r\nend\r\n`,
    call: () => change('a = 1;', 'b = 2;\n', { replace_all: true }),
    says: /Replaced 100000 occurrences/,
  },
  {
    name: 'a hunk with 20,000 new lines',
    file: 'a\nb\n',
    call: () => patch(`@@\n a\n${numbered(20_000).replace(/^/gm, '+')}\n b`),
    says: /M f \(\+2000[02] -[02]\)/,
  },
  {
    name: '2,000 hunks that match only without blanks',
    file: numbered(20_000).replace(/^/gm, '\t'),
    call: () =>
      patch(Array.from({ length: 2000 }, (_, n) => `@@\n-  line ${n * 10} of the file\n+  new ${n}`).join('\n')),
    says: /Hunks 1, 2, .* and 1990 more matched only/,
  },
  {
    name: '2,000 new files',
    file: 'a\n',
    call: () => patch(`@@\n-a\n+b\n${Array.from({ length: 2000 }, (_, n) => `*** Add File: d/${n}\n+x`).join('\n')}`),
    says: /^Done:.*A d\/1999/s,
  },
  {
    name: 'a hunk that is nowhere in 60,000 lines',
    file: numbered(60_000),
    call: () => patch('@@ nothing\n-a\n+b'),
    says: /the line after @@ is not in the file/,
  },
  {
    name: '20 MB of short lines',
    file: 'a\n',
    call: () => [write, { file_path: 'g', content: 'abcdefghi\n'.repeat(2_000_000) }],
    says: /2,000,000 lines/,
  },
  {
    name: 'a file replaced by quite another',
    file: numbered(60_000),
    call: () => [
      write,
      { file_path: 'f', content: numbered(60_000, 'quite another').split('\n').toReversed().join('\n') },
    ],
    says: /\(\+60000 -60000\)/,
  },
]

describe('a long text blocks nothing', () => {
  it.each(cases)('$name', async ({ file, call, says }) => {
    place.put('f', file)
    await place.call(read, { file_path: 'f' })
    const [tool, input] = call()
    if (tool === write)
      place.ctx.state.reads.set(place.at('f'), { ...place.ctx.state.reads.get(place.at('f'))!, partial: false })
    const { result, pauseMs } = await longestPause(() =>
      place.call(tool, input).then(
        ({ text }) => text,
        (error: unknown) => (error as Error).message,
      ),
    )
    expect(result).toMatch(says)
    expect(pauseMs).toBeLessThan(pauseLimitMs)
  })

  it('a cell of a notebook', async () => {
    const cell = { cell_type: 'code', id: 'a', metadata: {}, outputs: [], execution_count: null }
    place.put(
      'n.ipynb',
      JSON.stringify({ cells: [{ ...cell, source: 'x = "\\n"\n'.repeat(200_000) }], nbformat: 4, nbformat_minor: 5 }),
    )
    await place.call(read, { file_path: 'n.ipynb' })
    const input = { notebook_path: 'n.ipynb', cell_id: 'a', new_source: 'y = 1\n'.repeat(100_000) }
    const { pauseMs } = await longestPause(() => place.call(notebookEdit as Tool, input))
    expect(pauseMs).toBeLessThan(pauseLimitMs)
  })
})
