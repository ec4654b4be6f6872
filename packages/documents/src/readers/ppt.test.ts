import { expect, test } from 'vitest'
import { makeCompound } from '../testing/make-compound.ts'
import { madeDocuments } from '../testing/read-made.ts'

const read = madeDocuments()

function record(type: number, body: Buffer, instance = 0, isContainer = false): Buffer {
  const head = Buffer.alloc(8)
  head.writeUInt16LE((instance << 4) | (isContainer ? 0xf : 0), 0)
  head.writeUInt16LE(type, 2)
  head.writeUInt32LE(body.length, 4)
  return Buffer.concat([head, body])
}

const container = (type: number, parts: Buffer[], instance = 0): Buffer =>
  record(type, Buffer.concat(parts), instance, true)

function numbers(...values: number[]): Buffer {
  const bytes = Buffer.alloc(values.length * 4)
  for (const [index, value] of values.entries()) bytes.writeUInt32LE(value, index * 4)
  return bytes
}

/** A group of shapes with the mark of a table: its cells, and a line, which is none. */
function table(cells: { text: string; place: number[] }[]): Buffer {
  const isTable = Buffer.alloc(6)
  isTable.writeUInt16LE(0x39f, 0)
  const shapes = cells.map(({ text, place }) =>
    container(0xf004, [
      record(0xf00a, numbers(1, 0), 1),
      record(0xf00f, numbers(...place)),
      container(0xf00d, [record(0x0fa8, Buffer.from(text, 'latin1'))]),
    ]),
  )
  const line = container(0xf004, [record(0xf00a, numbers(9, 0), 20), record(0xf00f, numbers(0, 5, 20, 5))])
  return container(0xf003, [container(0xf004, [record(0xf122, isTable, 1)]), ...shapes, line])
}

/** A presentation with one slide, whose title is in the outline and whose text is in a shape. */
function makePresentation(mark = 0xe391c05f): Buffer {
  const title = [record(0x0f9f, numbers(0)), record(0x0fa8, Buffer.from('Goals', 'latin1'))]
  const list = container(0x0ff0, [record(0x03f3, numbers(2, 0, 1, 256)), ...title])
  const document = container(0x03e8, [list])
  const show = Buffer.alloc(16)
  show.writeUInt16LE(4, 10)
  const box = container(0xf00d, [record(0x0f9f, numbers(4)), record(0x0fa0, Buffer.from('漢字\rline', 'utf16le'))])
  const drawing = container(0x040c, [
    container(0xf004, [container(0xf00d, [record(0x0f9e, numbers(0))])]),
    container(0xf004, [box]),
    table([
      { text: 'Year', place: [0, 0, 10, 10] },
      { text: 'Sum', place: [10, 0, 20, 10] },
      { text: 'both', place: [0, 10, 20, 20] },
    ]),
  ])
  const slide = container(0x03ee, [record(0x03f9, show), drawing])
  const places = record(0x1772, numbers((2 << 20) | 1, 0, document.length))
  const at = document.length + slide.length
  const edit = record(0x0ff5, numbers(0, 0, 0, at, 1, 0, 0))
  return makeCompound({
    'PowerPoint Document': Buffer.concat([document, slide, places, edit]),
    'Current User': record(0x0ff6, numbers(20, mark, at + places.length)),
  })
}

test('an old presentation has titles, texts, tables and hidden slides', async () => {
  const answer = await read('old.ppt', makePresentation())
  expect(answer).toMatchObject({ format: 'ppt', facts: '1 slide, 1 hidden', notes: ['Hidden slides: 1.'] })
  expect(answer.text.split('\n')).toEqual([
    '## [slide 1] Goals (hidden)',
    '漢字',
    'line',
    '| Year | Sum |',
    '|---|---|',
    '| both | ← |',
  ])
})

test('encrypted and older presentations say what to do', async () => {
  await expect(read('locked.ppt', makePresentation(0xf3d1c4df))).rejects.toThrow('is encrypted with a password')
  const older = makeCompound({ 'PowerPoint Document': Buffer.alloc(100) })
  await expect(read('older.ppt', older)).rejects.toThrow('Convert it with LibreOffice')
})
