import { expect, test } from 'vitest'
import {
  columnName,
  formatCells,
  moved,
  rowAt,
  scrollHeight,
  scrollTopOf,
  selectionOf,
  textOfSelection,
} from './sheet-place.ts'

test('cells are named as in a spreadsheet program', () => {
  expect([1, 26, 27, 702, 703, 16_384].map(columnName)).toEqual(['A', 'Z', 'AA', 'ZZ', 'AAA', 'XFD'])
  expect(formatCells(selectionOf({ row: 20, column: 2 }, { row: 4, column: 4 }))).toBe('B4:D20')
})

test('every row of a million can be reached, and scrolling back finds the same row', () => {
  const extent = { rows: 1_048_576, rowHeight: 24, bodyHeight: 600 }
  expect(scrollHeight(extent.rows, extent.rowHeight)).toBe(10_000_000)
  for (const row of [1, 2, 1000, 500_000, 1_048_552]) expect(rowAt(scrollTopOf(row, extent), extent)).toBe(row)
  expect(rowAt(10_000_000, extent)).toBe(1_048_552)
})

test('keys move the active cell within the sheet', () => {
  const size = { rows: 100, columns: 5, page: 20 }
  const press = (key: string, ctrlKey = false) => moved({ row: 10, column: 2 }, { key, ctrlKey, metaKey: false }, size)
  expect(press('ArrowUp')).toEqual({ row: 9, column: 2 })
  expect(press('PageUp')).toEqual({ row: 1, column: 2 })
  expect(press('ArrowRight', true)).toEqual({ row: 10, column: 5 })
  expect(press('End', true)).toEqual({ row: 100, column: 5 })
  expect(press('x')).toBeUndefined()
})

test('selected cells become lines with tabs, formulas included', () => {
  const cells = new Map([
    ['1,1', { text: 'Rent' }],
    ['2,2', { text: '5', formula: '=A1' }],
  ])
  const text = textOfSelection({ top: 1, left: 1, bottom: 2, right: 2 }, (row, column) => cells.get(`${row},${column}`))
  expect(text).toBe('Rent\t\n\t5 (=A1)')
})
