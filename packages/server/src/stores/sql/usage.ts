import type { Store, UsageFilter, UsageNumbers } from '@troupe/core'
import { type RawBuilder, sql } from 'kysely'
import { statement, type StoreContext } from './context.ts'
import type { Tables } from './tables.ts'

const maxRows = 200
const pageRows = 1000

export function usage(context: StoreContext): Store['usage'] {
  return {
    async add(entries) {
      if (entries.length === 0) return
      const rows = entries.map(({ day, model, folder, person = '', ...numbers }) => ({
        day,
        model,
        folder,
        person,
        ...columnsOf(numbers),
      }))
      // In one order, so that commits of several processes never wait for each other.
      const key = ({ day, model, folder, person }: (typeof rows)[number]): string =>
        `${day} ${model} ${folder} ${person}`
      const sorted = rows.length === 1 ? rows : rows.toSorted((a, b) => (key(a) < key(b) ? -1 : 1))
      await context.write(async (db) => {
        for (const row of sorted) await addToUsage(db, row)
      })
    },

    async totals({ from, folders: only, ...filter }) {
      const [days, models, folders, people] = await Promise.all([
        group('day'),
        group('model'),
        group('folder'),
        group('person'),
      ])
      return { days, models, folders, people: people.filter(({ person }) => person !== '') }

      async function group<Name extends 'day' | 'model' | 'folder' | 'person'>(
        name: Name,
      ): Promise<(UsageNumbers & Record<Name, string>)[]> {
        const column = sql.ref(name)
        const order = name === 'day' ? sql`day` : sql`sum(cost) desc, sum(input_tokens + output_tokens) desc`
        const { rows } = await sql<Columns & { name: string }>`
          select ${column} as name, sum(calls) as calls, sum(input_tokens) as input_tokens,
            sum(cached_tokens) as cached_tokens, sum(output_tokens) as output_tokens, sum(cost) as cost,
            sum(unpriced_tokens) as unpriced_tokens
          from usage where day >= ${from} and ${isIn(only)} ${conditions(filter)}
          group by ${column} order by ${order} limit ${name === 'day' ? 1000 : maxRows}`.execute(context.db)
        return rows.map((row) => ({ [name]: row.name, ...numbersOf(row) }) as UsageNumbers & Record<Name, string>)
      }
    },

    async cost(period, filter = {}) {
      const { rows } = await sql<{ cost: number | null }>`
        select sum(cost) as cost from usage
        where day >= ${period} and day < ${`${period}~`} ${conditions(filter)}`.execute(context.db)
      return Number(rows[0]?.cost ?? 0)
    },

    async *rows({ from, ...filter }) {
      let after: Pick<Tables['usage'], 'day' | 'model' | 'folder' | 'person'> | undefined
      for (;;) {
        const next =
          after &&
          sql`and (day, model, folder, person) > (${after.day}, ${after.model}, ${after.folder}, ${after.person})`
        const { rows } = await sql<Tables['usage']>`
          select * from usage where day >= ${from} ${next ?? sql``} ${conditions(filter)}
          order by day, model, folder, person limit ${pageRows}`.execute(context.db)
        if (rows.length === 0) return
        yield rows.map(({ day, model, folder, person, ...row }) => ({
          day,
          model,
          folder,
          person: person || undefined,
          ...numbersOf(row),
        }))
        if (rows.length < pageRows) return
        after = rows.at(-1)
      }
    },
  }
}

function isIn(folders: readonly string[] | undefined): RawBuilder<unknown> {
  if (folders === undefined) return sql`1 = 1`
  return folders.length === 0 ? sql`1 = 0` : sql`folder in (${sql.join([...folders])})`
}

function conditions({ person, folder, model }: UsageFilter): RawBuilder<unknown> {
  const parts = Object.entries({ person, folder, model }).flatMap(([name, value]) =>
    value === undefined ? [] : [sql`and ${sql.ref(name)} = ${value}`],
  )
  return parts.length === 0 ? sql`` : sql.join(parts, sql` `)
}

const addToUsage = statement((db, row: Tables['usage']) =>
  db
    .insertInto('usage')
    .values({
      day: row.day,
      model: row.model,
      folder: row.folder,
      person: row.person,
      calls: row.calls,
      input_tokens: row.input_tokens,
      cached_tokens: row.cached_tokens,
      output_tokens: row.output_tokens,
      cost: row.cost,
      unpriced_tokens: row.unpriced_tokens,
    })
    .onConflict((conflict) =>
      conflict.columns(['day', 'model', 'folder', 'person']).doUpdateSet({
        calls: sql`usage.calls + excluded.calls`,
        input_tokens: sql`usage.input_tokens + excluded.input_tokens`,
        cached_tokens: sql`usage.cached_tokens + excluded.cached_tokens`,
        output_tokens: sql`usage.output_tokens + excluded.output_tokens`,
        cost: sql`usage.cost + excluded.cost`,
        unpriced_tokens: sql`usage.unpriced_tokens + excluded.unpriced_tokens`,
      }),
    ),
)

type Columns = Omit<Tables['usage'], 'day' | 'model' | 'folder' | 'person'>

function columnsOf(numbers: UsageNumbers): Columns {
  const { calls, inputTokens, cachedTokens, outputTokens, cost, unpricedTokens } = numbers
  return {
    calls,
    input_tokens: inputTokens,
    cached_tokens: cachedTokens,
    output_tokens: outputTokens,
    cost,
    unpriced_tokens: unpricedTokens,
  }
}

/** Some databases return sums as text. */
function numbersOf(row: Columns): UsageNumbers {
  return {
    calls: Number(row.calls),
    inputTokens: Number(row.input_tokens),
    cachedTokens: Number(row.cached_tokens),
    outputTokens: Number(row.output_tokens),
    cost: Number(row.cost),
    unpricedTokens: Number(row.unpriced_tokens),
  }
}
