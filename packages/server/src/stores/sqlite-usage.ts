import { sql } from 'kysely'
import type { AnyDb } from './sql/context.ts'

/** Fills the usage table from the answers that were stored before it existed. */
export const sqliteUsageMigrations: Record<number, (db: AnyDb) => Promise<void>> = {
  async 8(db) {
    await sql`
      insert into usage (day, model, folder, calls, input_tokens, cached_tokens, output_tokens, cost, unpriced_tokens)
      select day, model, folder, count(*), sum(input), sum(cached), sum(output), sum(coalesce(cost, 0)),
        sum(case when cost is null then input + output else 0 end)
      from (
        select date(message.created_at / 1000, 'unixepoch', 'localtime') as day,
          coalesce(json_extract(metadata, '$.model'), 'unknown') as model,
          workspace.path as folder,
          coalesce(json_extract(metadata, '$.usage.inputTokens'), 0) as input,
          coalesce(json_extract(metadata, '$.usage.cachedInputTokens'), 0) as cached,
          coalesce(json_extract(metadata, '$.usage.outputTokens'), 0) as output,
          json_extract(metadata, '$.cost') as cost
        from message join session on session.id = message.session_id
          join workspace on workspace.id = session.workspace_id
        where message.role = 'assistant' and metadata like '%"usage"%' and json_valid(metadata))
      group by day, model, folder`.execute(db)
  },
}
