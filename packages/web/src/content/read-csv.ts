import Papa from 'papaparse'
import { makeSheet, type Sheet, sheetLimits } from './sheet.ts'

/** A CSV or TSV text as a table. Whatever is in a cell stays text: a formula is not worked out. */
export function readCsv(text: string, name: string): Sheet {
  const { data } = Papa.parse<string[]>(text.replace(/^\ufeff/, ''), {
    preview: sheetLimits.rows + 1,
    skipEmptyLines: true,
  })
  return makeSheet(name, data)
}
