import fc from 'fast-check'
import { expect, test } from 'vitest'
import { type CsvDialect, csvRecords } from './csv-records.ts'
import type { RecordChanges } from './record-changes.ts'

const comma: CsvDialect = {
  delimiter: ',',
  quote: '"',
  escape: '"',
  comment: '',
  skipRows: 0,
  hasHeader: true,
  columns: 2,
}
const nothing: RecordChanges = { deleted: new Set(), changed: new Map(), added: [] }
const cell = (row: number, column: number, text: string | null): RecordChanges['changed'] =>
  new Map([[row, new Map([[column, text]])]])

test.each<[string, string, Partial<CsvDialect>, Partial<RecordChanges>, string]>([
  ['one cell', 'a,b\n1,"x"\n2,y\n', {}, { changed: cell(1, 1, 'z') }, 'a,b\n1,"x"\n2,z\n'],
  ['a cell in quotes', 'a,b\n1,"x"\n', {}, { changed: cell(0, 1, 'z') }, 'a,b\n1,"z"\n'],
  ['a text with quotes and lines', 'a,b\n1,x\n', {}, { changed: cell(0, 1, 'a "b"\nc') }, 'a,b\n1,"a ""b""\nc"\n'],
  [
    'an escape of its own',
    'a,b\n1,"x\\"y"\n',
    { escape: '\\' },
    { changed: cell(0, 0, 'q"') },
    'a,b\n"q\\"","x\\"y"\n',
  ],
  [
    'nothing and an empty text',
    'a,b\n1,x\n',
    {},
    {
      changed: new Map([
        [
          0,
          new Map([
            [0, null],
            [1, ''],
          ]),
        ],
      ]),
    },
    'a,b\n,""\n',
  ],
  ['a short record', 'a,b\n1\n', {}, { changed: cell(0, 1, 'z') }, 'a,b\n1,z\n'],
  ['a deleted record with lines', 'a,b\n1,"x\ny"\n2,y', {}, { deleted: new Set([0]) }, 'a,b\n2,y'],
  ['no final line end', 'a,b\r\n1,x', {}, { added: [['2', 'y']] }, 'a,b\r\n1,x\r\n2,y'],
  ['quotes as in the first record', 'a,b\n1,"x"\n', {}, { added: [['2', 'y']] }, 'a,b\n1,"x"\n2,"y"\n'],
  [
    'blank lines and comments',
    '#hi\na,b\n\n1,x\n#no\n2,y\n',
    { comment: '#' },
    { deleted: new Set([1]) },
    '#hi\na,b\n\n1,x\n#no\n',
  ],
  ['lines in front', 'Title\n\na,b\n1,x\n', { skipRows: 2 }, { changed: cell(0, 0, '9') }, 'Title\n\na,b\n9,x\n'],
  ['no header', '1;x\n2;y\n', { hasHeader: false, delimiter: ';' }, { deleted: new Set([0]) }, '2;y\n'],
  ['an empty line as a value', 'a\n1\n\n3\n', { columns: 1 }, { changed: cell(1, 0, '2') }, 'a\n1\n2\n3\n'],
  ['formulas', 'a,b\n1,x\n', {}, { added: [['=1+1', '-5']] }, "a,b\n1,x\n'=1+1,-5\n"],
])('%s', (_, text, dialect, changes, after) => {
  expect(csvRecords(text, { ...comma, ...dialect }).apply({ ...nothing, ...changes })).toBe(after)
})

test('a value that the dialect cannot write is refused', () => {
  const records = csvRecords('a,b\n1,x\n', { ...comma, quote: '' })
  expect(() => records.apply({ ...nothing, changed: cell(0, 0, 'x,y') })).toThrow('no quotes')
})

test('without a change every character stays, and a change is read back', () => {
  const field = fc.string({ unit: fc.constantFrom('a', '"', ',', '\n', '\r', ' ', 'é', '1') })
  const quoted = (text: string): string => `"${text.replaceAll('"', '""')}"`
  fc.assert(
    fc.property(fc.array(fc.tuple(field, field), { minLength: 1 }), field, fc.nat(), (rows, next, at) => {
      const text = `a,b\n${rows.map((row) => `${row.map(quoted).join(',')}\n`).join('')}`
      const records = csvRecords(text, comma)
      expect(records.count).toBe(rows.length)
      expect(records.apply(nothing)).toBe(text)
      const row = at % rows.length
      const lines = rows.map(([one, two], index) => `${quoted(one)},${quoted(index === row ? `n${next}` : two)}\n`)
      expect(records.apply({ ...nothing, changed: cell(row, 1, `n${next}`) })).toBe(`a,b\n${lines.join('')}`)
    }),
  )
})
