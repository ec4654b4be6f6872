import type { OfficeAction } from '@troupe/core'
import { replaceInCells, setCells } from './cells.ts'
import { addSheetChart } from './charts.ts'
import { columnWidth, conditionalFormat, defineName, formatCells, freeze, mergeCells } from './formats.ts'
import { addSheet, copySheet, removeSheet, renameSheet } from './sheets.ts'
import { shiftColumns, shiftRows } from './structure.ts'
import type { Xlsx } from './workbook.ts'

/** Applies one action. Returns false if it is not an action for workbooks. */
export function editXlsx(xlsx: Xlsx, action: OfficeAction): boolean {
  switch (action.action) {
    case 'set_cells':
      setCells(xlsx, action)
      return true
    case 'replace_text':
      replaceInCells(xlsx, action)
      return true
    case 'insert_rows':
    case 'delete_rows':
      shiftRows(xlsx, action)
      return true
    case 'insert_columns':
    case 'delete_columns':
      shiftColumns(xlsx, action)
      return true
    case 'add_sheet':
      addSheet(xlsx, action)
      return true
    case 'rename_sheet':
      renameSheet(xlsx, action)
      return true
    case 'copy_sheet':
      copySheet(xlsx, action)
      return true
    case 'remove_sheet':
      removeSheet(xlsx, action)
      return true
    case 'format_cells':
      formatCells(xlsx, action)
      return true
    case 'merge_cells':
      mergeCells(xlsx, action)
      return true
    case 'freeze':
      freeze(xlsx, action)
      return true
    case 'column_width':
      columnWidth(xlsx, action)
      return true
    case 'conditional_format':
      conditionalFormat(xlsx, action)
      return true
    case 'define_name':
      defineName(xlsx, action)
      return true
    case 'add_chart':
      addSheetChart(xlsx, action)
      return true
    default:
      return false
  }
}
