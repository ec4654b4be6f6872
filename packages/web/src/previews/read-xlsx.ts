import { default as readWorkbook } from 'read-excel-file/universal'
import { checkWorkbook } from './check-workbook.ts'
import { makeSheet, type Sheet } from './sheet.ts'

/** The sheets of an XLSX file. Throws where it is no such file, or far larger inside than it looks. */
export async function readXlsx(bytes: ArrayBuffer): Promise<Sheet[]> {
  await checkWorkbook(bytes)
  const sheets = await readWorkbook(bytes)
  return sheets.map(({ sheet, data }) => makeSheet(sheet, data))
}
