import type { DuckDBConnection } from '@duckdb/node-api'
import { readSheetValues, type SheetValue } from '@troupe/documents/sheet-values'

type Kind = SheetValue['kind']

/**
 * Loads a sheet of an Excel workbook as a table. The first row names the columns if all its cells are texts. A column has
 * numbers, times or truth values if all its cells are such.
 */
export async function loadSheet(
  connection: DuckDBConnection,
  { table, file, sheet }: { table: string; file: string; sheet: string | undefined },
): Promise<void> {
  const rows = await readSheetValues(file, sheet)
  const width = rows.reduce((most, row) => Math.max(most, row.at(-1)?.column ?? 0), 0)
  if (width === 0) throw new Error(`The sheet of "${table}" is empty.`)
  const [first = []] = rows
  const isHead = rows.length > 1 && first.every(({ kind }) => kind === 'text')
  const titles = new Map(isHead ? first.map(({ column, text }) => [column, text]) : [])
  const names = uniqueNames(Array.from({ length: width }, (_, at) => titles.get(at + 1) || `column${at + 1}`))
  const kinds = Array.from({ length: width }, () => new Set<Kind>())
  const body = isHead ? rows.slice(1) : rows
  const cells = `${table}#cells`
  await connection.run(`create table ${quoted(cells)} (${names.map((_, at) => `c${at} varchar`).join(', ')})`)
  const appender = await connection.createAppender(cells)
  for (const row of body) {
    const byColumn = new Map(row.map((value) => [value.column, value]))
    for (let column = 1; column <= width; column++) {
      const value = byColumn.get(column)
      if (value === undefined) {
        appender.appendNull()
        continue
      }
      kinds[column - 1]?.add(value.kind)
      appender.appendVarchar(value.text)
    }
    appender.endRow()
  }
  appender.closeSync()
  const list = names.map((name, at) => `cast(c${at} as ${typeOf(kinds[at])}) as ${quoted(name)}`)
  await connection.run(`create view ${quoted(table)} as select ${list.join(', ')} from ${quoted(cells)}`)
}

function typeOf(kinds: ReadonlySet<Kind> | undefined): string {
  const [only = 'text'] = kinds ?? []
  if (kinds?.size !== 1) return 'varchar'
  return { text: 'varchar', number: 'double', boolean: 'boolean', time: 'timestamp' }[only]
}

function uniqueNames(names: readonly string[]): string[] {
  const seen = new Map<string, number>()
  return names.map((name) => {
    const count = (seen.get(name.toLowerCase()) ?? 0) + 1
    seen.set(name.toLowerCase(), count)
    return count === 1 ? name : `${name}_${count}`
  })
}

function quoted(name: string): string {
  return `"${name.replaceAll('"', '""')}"`
}
