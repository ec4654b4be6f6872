import { sql } from 'kysely'
import type { AnyDb } from '../stores/sql/context.ts'

export interface TextColumn {
  table: string
  column: string
}

/** Append-only tables, which hold aliases only. */
const appendOnly = new Set(['audit_entry', 'audit_term'])

/** All columns that can hold a person's id, including those of tables that other modules add. */
export async function textColumns(db: AnyDb): Promise<TextColumn[]> {
  const tables = await db.introspection.getTables()
  return tables
    .filter(({ name, isView, schema }) => !isView && !appendOnly.has(name) && schema !== 'information_schema')
    .flatMap(({ name, columns }) =>
      columns
        .filter(({ dataType }) => /^(?:text|varchar|character varying|json|jsonb)/i.test(dataType))
        .map((column) => ({ table: name, column: column.name })),
    )
}

/** Finds the columns that contain a text, with the number of rows. */
export async function findText(db: AnyDb, text: string): Promise<(TextColumn & { rows: number })[]> {
  const found: (TextColumn & { rows: number })[] = []
  for (const at of await textColumns(db)) {
    const { rows } = await sql<{ count: number }>`
      select count(*) as count from ${sql.table(at.table)} where ${contains(at, text)}`.execute(db)
    const count = Number(rows[0]?.count ?? 0)
    if (count > 0) found.push({ ...at, rows: count })
  }
  return found
}

/** Replaces a text wherever it occurs. */
export async function replaceText(db: AnyDb, text: string, by: string): Promise<void> {
  for (const at of await findText(db, text))
    await sql`
      update ${sql.table(at.table)} set ${sql.ref(at.column)} = replace(${sql.ref(at.column)}, ${text}, ${by})
      where ${contains(at, text)}`.execute(db)
}

/** Rows of tables whose column is exactly this value. Values of columns that look secret are hidden. */
export async function* rowsWith(
  db: AnyDb,
  value: string,
  skip: ReadonlySet<string>,
): AsyncGenerator<{ table: string; row: Record<string, unknown> }> {
  const byTable = Map.groupBy(await textColumns(db), ({ table }) => table)
  for (const [table, columns] of byTable) {
    if (skip.has(table)) continue
    const conditions = columns.map(({ column }) => sql`${sql.ref(column)} = ${value}`)
    const { rows } = await sql<Record<string, unknown>>`
      select * from ${sql.table(table)} where ${sql.join(conditions, sql` or `)}`.execute(db)
    for (const row of rows)
      yield {
        table,
        row: Object.fromEntries(
          Object.entries(row).map(([name, one]) => [name, secretColumn.test(name) && one !== null ? '[hidden]' : one]),
        ),
      }
  }
}

const secretColumn = /password|token|secret|hash|credential|(?:^|_)(?:public_?)?key$|backup_?codes/i

function contains({ column }: TextColumn, text: string) {
  const pattern = `%${text.replaceAll(/[%_!]/g, '!$&')}%`
  return sql<boolean>`${sql.ref(column)} like ${pattern} escape '!'`
}
