import { mergedAbove, mergedLeft } from '../text/markdown.ts'
import { type PptRecord, recordsIn } from './records.ts'

/** Types of the records that are read. */
const type = {
  group: 0xf003,
  shape: 0xf004,
  shapeFacts: 0xf00a,
  place: 0xf00f,
  properties: 0xf00b,
  moreProperties: 0xf122,
} as const

const tableProperty = 0x39f
/** The lines around cells are shapes of the table, too. */
const lineShape = 20
const maxFields = 20_000

export interface TableCell {
  left: number
  top: number
  right: number
  bottom: number
  /** The records of the cell. */
  shape: Buffer
}

/** The cells of a group of shapes that PowerPoint drew as a table. Undefined for other groups. */
export function tableCells(group: PptRecord): TableCell[] | undefined {
  if (group.type !== type.group) return undefined
  const [own, ...shapes] = recordsIn(group.body).filter((record) => record.type === type.shape)
  if (own === undefined || !recordsIn(own.body).some(isTable)) return undefined
  return shapes.flatMap(({ body }) => {
    const parts = recordsIn(body)
    const place = parts.find((record) => record.type === type.place)?.body
    const isLine = parts.some((record) => record.type === type.shapeFacts && record.instance === lineShape)
    if (isLine || place === undefined || place.length < 16) return []
    const [left, top, right, bottom] = [0, 4, 8, 12].map((at) => place.readInt32LE(at)) as [
      number,
      number,
      number,
      number,
    ]
    return [{ left, top, right, bottom, shape: body }]
  })
}

function isTable({ type: kind, instance, body }: PptRecord): boolean {
  if (kind !== type.properties && kind !== type.moreProperties) return false
  for (let index = 0; index < instance && index * 6 + 6 <= body.length; index++)
    if ((body.readUInt16LE(index * 6) & 0x3fff) === tableProperty) return true
  return false
}

/** Cells by row and column, which their places tell. Undefined if they form no table. */
export function tableRows(cells: readonly TableCell[], textOf: (cell: TableCell) => string): string[][] | undefined {
  const tops = edges(cells.map(({ top }) => top))
  const lefts = edges(cells.map(({ left }) => left))
  if (cells.length === 0 || tops.length * lefts.length > maxFields) return undefined
  const rows = tops.map(() => lefts.map(() => ''))
  for (const cell of cells) {
    const [row, column] = [tops.indexOf(cell.top), lefts.indexOf(cell.left)]
    for (let y = row; y === row || (y < tops.length && tops[y]! < cell.bottom); y++)
      for (let x = column; x === column || (x < lefts.length && lefts[x]! < cell.right); x++)
        rows[y]![x] = x > column ? mergedLeft : y > row ? mergedAbove : textOf(cell)
  }
  return rows
}

function edges(values: readonly number[]): number[] {
  return [...new Set(values)].toSorted((a, b) => a - b)
}
