import type { CellRange } from './address.ts'

/** A workbook of any format. Sheets are read in windows, so that a long sheet never has to fit in memory. */
export interface Workbook {
  sheets: readonly SheetInfo[]
  names: readonly DefinedName[]
  /** Sentences about the workbook: macros, external links. */
  notes: readonly string[]
  /** Replaces the list of sheets in formats that have one sheet. */
  outline?: string | undefined
  facts?: string | undefined
  /** The cells in use. Undefined if the sheet is empty. */
  used(sheet: SheetInfo): Promise<UsedRange | undefined>
  /** Reads rows of a range until its end or until about `most` cells are read. */
  window(sheet: SheetInfo, range: CellRange, most: number): Promise<SheetWindow>
}

export interface SheetInfo {
  name: string
  state: 'visible' | 'hidden'
  /** Sheets without cells: `a chart sheet`. */
  without?: string | undefined
}

export interface UsedRange {
  range: CellRange
  /** Why the range may be wrong: `as declared in the file`. */
  doubt?: string | undefined
}

export interface DefinedName {
  name: string
  refersTo: string
}

export interface SheetWindow {
  /** Rows with at least one cell, in order. */
  rows: SheetRow[]
  /** First row that was not read, if `most` cells were read before the end of the range. */
  nextRow?: number | undefined
  hiddenColumns: readonly CellRange[]
  merged: readonly CellRange[]
  /** Lines about the cells of the window: comments, links, allowed values. And about the sheet: tables, charts. */
  details: readonly string[]
}

export interface SheetRow {
  number: number
  isHidden?: boolean | undefined
  /** In order of columns. */
  cells: SheetCell[]
}

export interface SheetCell {
  column: number
  /** The value as a spreadsheet program displays it. */
  text: string
  /** With its `=`. */
  formula?: string | undefined
  isNumber?: boolean | undefined
}

/** Calls of functions that load something when a spreadsheet program evaluates them, and DDE links. */
export function reachesOutside(formula: string): boolean {
  return (
    /\b(?:WEBSERVICE|FILTERXML|RTD|CALL|REGISTER(?:\.ID)?|IMPORT(?:XML|DATA|HTML|FEED|RANGE)|DDE)\s*\(/i.test(
      formula,
    ) || /^[=+\-@{]*\s*'?[\w.]+'?\s*\|\s*['"\w]/.test(formula)
  )
}
