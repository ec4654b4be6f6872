import Papa from 'papaparse'
import { makeSheet, type Sheet, sheetLimits } from './sheet.ts'

/** Parses CSV or TSV. Cells stay text; formulas are not evaluated. */
export function readCsv(text: string, name: string): Sheet {
  const { data } = Papa.parse<string[]>(text.replace(/^\ufeff/, ''), {
    preview: sheetLimits.rows + 1,
    skipEmptyLines: true,
  })
  return makeSheet(name, data)
}
