import { type RawBuilder, sql } from 'kysely'
import type { Db } from '../stores/sql/context.ts'
import type { Tables } from '../stores/sql/tables.ts'
import { fieldTerm, queryWords } from './audit-terms.ts'

export interface AuditQuery {
  /** Id of a person, an alias, `system` or `anonymous`. */
  actor?: string | undefined
  /** An action, or the part before its dot. */
  action?: string | undefined
  target?: string | undefined
  outcome?: string | undefined
  /** Milliseconds, `from` included, `to` excluded. */
  from?: number | undefined
  to?: number | undefined
  /** Words that all must occur. Names and addresses of people count. */
  text?: string | undefined
  /** The `next` of the page before. */
  before?: string | undefined
  limit?: number | undefined
}

type Range = { from: number; to: number }

const idsPerMs = 1024
const maxWords = 8
/** More people than this with one name count as the first ones. */
const maxAliases = 10
const firstStep = 200
const maxStep = 3200
/** Terms are compared up to this many entries. */
const countedRows = 2000

/**
 * Finds a page of entries. Each condition is a term of the index. Walks the entries of the rarest term, newest first, and
 * looks up the other terms for each, so the cost depends on the page size, not on the log size.
 */
export async function searchAudit(
  db: Db,
  query: AuditQuery = {},
): Promise<{ rows: Tables['audit_entry'][]; next: string | null }> {
  const limit = Math.min(Math.max(query.limit ?? 50, 1), 500)
  const range = {
    from: (query.from ?? 0) * idsPerMs,
    to: Math.min(
      query.before === undefined ? Number.MAX_SAFE_INTEGER : Number(query.before),
      query.to === undefined ? Number.MAX_SAFE_INTEGER : query.to * idsPerMs,
    ),
  }
  const conditions = await conditionsOf(db, query)
  if (conditions.some((terms) => terms.length === 0)) return { rows: [], next: null }
  const ids = conditions.length === 0 ? undefined : await matchingIds(db, conditions, range, limit + 1)
  const rows =
    ids?.length === 0
      ? []
      : await db
          .selectFrom('audit_entry')
          .selectAll()
          .where('id', '>=', range.from)
          .where('id', '<', range.to)
          .$if(ids !== undefined, (found) => found.where('id', 'in', ids ?? []))
          .orderBy('id', 'desc')
          .limit(limit + 1)
          .execute()
  const page = rows.slice(0, limit)
  return { rows: page, next: rows.length > limit ? String(page.at(-1)?.id) : null }
}

/** For each condition, the terms of which an entry must have at least one. */
async function conditionsOf(db: Db, { actor, action, target, outcome, text }: AuditQuery): Promise<string[][]> {
  const conditions: string[][] = []
  if (actor !== undefined) conditions.push([fieldTerm('actor', (await aliasOf(db, actor)) ?? actor)])
  if (action !== undefined) conditions.push([fieldTerm('action', action)])
  if (target !== undefined) conditions.push([fieldTerm('target', (await aliasOf(db, target)) ?? target)])
  if (outcome !== undefined) conditions.push([fieldTerm('outcome', outcome)])
  for (const word of queryWords(text ?? '').slice(0, maxWords))
    conditions.push([word, ...(await aliasesWith(db, word))])
  return conditions
}

async function aliasOf(db: Db, personId: string): Promise<string | undefined> {
  const row = await db
    .selectFrom('audit_alias')
    .select('id')
    .where('person_id', '=', personId)
    .where('kind', '=', 'person')
    .executeTakeFirst()
  return row?.id
}

/** Names are not in the index, so that deleting a person leaves none there. */
async function aliasesWith(db: Db, word: string): Promise<string[]> {
  const rows = await db
    .selectFrom('audit_alias')
    .select('id')
    .where(sql`lower(label)`, 'like', `%${word.replaceAll(/[\\%_]/g, '')}%`)
    .orderBy('id')
    .limit(maxAliases)
    .execute()
  return rows.map(({ id }) => id)
}

/**
 * Walks the rarest term in steps, and keeps the entries that also have the other terms. In steps and not in one query, since
 * databases guess badly how often two terms meet, and then read all entries of one.
 */
async function matchingIds(db: Db, conditions: string[][], range: Range, limit: number): Promise<number[]> {
  const rarest = conditions.length === 1 ? 0 : await findRarest(db, conditions, range)
  const others = conditions.filter((_, i) => i !== rarest)
  const found: number[] = []
  let step = others.length === 0 ? limit : firstStep
  let { to } = range
  for (;;) {
    const walked = await newest(db, conditions[rarest] ?? [], { ...range, to }, step)
    let kept = walked
    for (const terms of others) if (kept.length > 0) kept = await having(db, terms, kept)
    found.push(...kept)
    const last = walked.at(-1)
    if (found.length >= limit || walked.length < step || last === undefined) return found.slice(0, limit)
    to = last
    step = Math.min(4 * step, maxStep)
  }
}

async function findRarest(db: Db, conditions: string[][], { from, to }: Range): Promise<number> {
  const counts = conditions.map(
    (terms, i) => sql`select ${sql.lit(i)} as place, count(*) as count from (
      select 1 from audit_term where term in (${sql.join(terms)}) and id >= ${from} and id < ${to} limit ${countedRows}
    ) as counted`,
  )
  const { rows } = await sql<{ place: number; count: number }>`${sql.join(counts, sql` union all `)}`.execute(db)
  const [first] = rows.toSorted((one, other) => Number(one.count) - Number(other.count))
  return first?.place ?? 0
}

/** The newest entries with one of the terms. */
async function newest(db: Db, terms: readonly string[], { from, to }: Range, limit: number): Promise<number[]> {
  const parts = terms.map(
    (term): RawBuilder<unknown> => sql`select id from (
      select id from audit_term where term = ${term} and id >= ${from} and id < ${to}
      order by id desc limit ${limit}) as newest`,
  )
  const { rows } = await sql<{ id: number }>`${sql.join(parts, sql` union `)} order by id desc limit ${limit}`.execute(
    db,
  )
  return rows.map(({ id }) => Number(id))
}

/** Returns the entries that have one of the terms, in the same order. */
async function having(db: Db, terms: readonly string[], ids: readonly number[]): Promise<number[]> {
  const rows = await db
    .selectFrom('audit_term')
    .select('id')
    .where('term', 'in', terms)
    .where('id', 'in', ids)
    .execute()
  const known = new Set(rows.map(({ id }) => Number(id)))
  return ids.filter((id) => known.has(id))
}
