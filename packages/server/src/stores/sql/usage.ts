import type { Store, UsageNumbers } from '@troupe/core'
import { sql } from 'kysely'
import { statement, type StoreContext, type Tables } from './context.ts'

const maxRows = 200

export function usage(context: StoreContext): Store['usage'] {
  return {
    async add(entries) {
      if (entries.length === 0) return
      await context.write(async (db) => {
        for (const { day, model, folder, ...numbers } of entries)
          await addToUsage(db, { day, model, folder, ...columnsOf(numbers) })
      })
    },

    async totals({ from }) {
      const [days, models, folders] = await Promise.all([group('day'), group('model'), group('folder')])
      return { days, models, folders }

      async function group<Name extends 'day' | 'model' | 'folder'>(
        name: Name,
      ): Promise<(UsageNumbers & Record<Name, string>)[]> {
        const column = sql.ref(name)
        const order = name === 'day' ? sql`day` : sql`sum(cost) desc, sum(input_tokens + output_tokens) desc`
        const { rows } = await sql<Columns & { name: string }>`
          select ${column} as name, sum(calls) as calls, sum(input_tokens) as input_tokens,
            sum(cached_tokens) as cached_tokens, sum(output_tokens) as output_tokens, sum(cost) as cost,
            sum(unpriced_tokens) as unpriced_tokens
          from usage where day >= ${from} group by ${column} order by ${order} limit ${name === 'day' ? 1000 : maxRows}`.execute(
          context.db,
        )
        return rows.map((row) => ({ [name]: row.name, ...numbersOf(row) }) as UsageNumbers & Record<Name, string>)
      }
    },

    async cost(period) {
      const row = await context.db
        .selectFrom('usage')
        .select((e) => e.fn.sum<number | null>('cost').as('cost'))
        .where('day', '>=', period)
        .where('day', '<', `${period}~`)
        .executeTakeFirst()
      return Number(row?.cost ?? 0)
    },
  }
}

const addToUsage = statement((db, row: Tables['usage']) =>
  db
    .insertInto('usage')
    .values({
      day: row.day,
      model: row.model,
      folder: row.folder,
      calls: row.calls,
      input_tokens: row.input_tokens,
      cached_tokens: row.cached_tokens,
      output_tokens: row.output_tokens,
      cost: row.cost,
      unpriced_tokens: row.unpriced_tokens,
    })
    .onConflict((conflict) =>
      conflict.columns(['day', 'model', 'folder']).doUpdateSet({
        calls: sql`usage.calls + excluded.calls`,
        input_tokens: sql`usage.input_tokens + excluded.input_tokens`,
        cached_tokens: sql`usage.cached_tokens + excluded.cached_tokens`,
        output_tokens: sql`usage.output_tokens + excluded.output_tokens`,
        cost: sql`usage.cost + excluded.cost`,
        unpriced_tokens: sql`usage.unpriced_tokens + excluded.unpriced_tokens`,
      }),
    ),
)

type Columns = Omit<Tables['usage'], 'day' | 'model' | 'folder'>

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
