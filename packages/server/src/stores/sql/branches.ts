import type { BranchPage, Conversation, SiblingPlace, Store } from '@troupe/core'
import type { Comparison, Metadata, StoredMessage } from '@troupe/protocol'
import { sql } from 'kysely'
import { yieldToEventLoop } from '../../util/concurrency.ts'
import { type Db, messageNotFound, statement, type StoreContext, toStoredMessage } from './context.ts'
import type { Tables } from './tables.ts'

type Message = Tables['message']
type Link = Pick<Message, 'id' | 'parent_id'>
/** Batch sizes of walks and messages. Each query and its processing must finish within milliseconds. */
const linksPerQuery = 1000
const levelsPerQuery = 500
export const messagesPerQuery = 20
type SiblingRow = Message & { place: number; total: number; prev: string | null; next: string | null }

/**
 * Reads the message tree. Every walk starts from a key and follows an index, so its cost depends on the rows visited.
 * `union` (not `union all`) stops it in a cycle, and `cross join` keeps the walked rows as the outer loop.
 */
export function branches(
  context: StoreContext,
): Pick<Store['messages'], 'walk' | 'chain' | 'branch' | 'latestLeaf' | 'comparisonOf' | 'strays'> {
  async function latestLeaf(at: Conversation, belowId?: string): Promise<string | undefined> {
    const newest = await newestLeaf(context.db, at)
    if (newest === undefined) return undefined
    // Usually the newest leaf of all qualifies, and walking up is far shorter than walking all branches down.
    const isBelow = belowId === undefined || (await idsUpTo(at, newest)).includes(belowId)
    const leaf = isBelow ? newest : await newestLeafBelow(context.db, at, belowId)
    if (leaf === undefined || leaf === belowId) return leaf
    const picked = await pickedInstead(context.db, at, leaf)
    return picked === undefined ? leaf : ((await newestLeafBelow(context.db, at, picked)) ?? leaf)
  }

  function idsUpTo(at: Conversation, leafId: string, most?: number): Promise<string[]> {
    return branchIds(context, at, leafId, most)
  }

  async function* walk(at: Conversation, leafId: string): AsyncGenerator<StoredMessage> {
    const ids = await idsUpTo(at, leafId)
    for (let i = 0; i < ids.length; i += messagesPerQuery) {
      const some = ids.slice(i, i + messagesPerQuery)
      const rows = await messagesById(context.db, at, some)
      const byId = new Map(rows.map((row) => [row.id, row]))
      for (const id of some) {
        const row = byId.get(id)
        if (row === undefined) continue
        await yieldToEventLoop()
        yield toStoredMessage(row)
      }
    }
  }

  return {
    latestLeaf,
    comparisonOf: (at, answerId) => comparisonOf(context.db, at, answerId),
    walk,

    chain: (at, leafId) => Array.fromAsync(walk(at, leafId)),

    async branch(at, options = {}) {
      let leafId = options.leaf ?? (await latestLeaf(at))
      if (leafId === undefined) {
        if (options.before !== undefined) throw messageNotFound(options.before)
        return { leafMessageId: null, messages: [], siblings: {}, page: { hasMore: false, before: null } }
      }
      const limit = Math.max(1, Math.min(options.limit ?? 50, 1000))
      // The first page reads only what it shows. Later pages walk up from the leaf, which also stops in a cycle.
      let ids = await idsUpTo(at, leafId, options.before === undefined ? limit + 1 : undefined)
      if (options.leaf === undefined && options.before !== undefined && !ids.includes(options.before)) {
        // Another branch became the newest since the first page was read.
        leafId = (await latestLeaf(at, options.before)) ?? leafId
        ids = await idsUpTo(at, leafId)
      }
      const end = options.before === undefined ? ids.length : ids.indexOf(options.before)
      if (end === -1) throw messageNotFound(options.before!)
      const start = Math.max(0, end - limit)
      const shown = await readSiblingRows(context.db, at, ids.slice(start, end))
      return {
        leafMessageId: leafId,
        messages: shown.map(toStoredMessage),
        siblings: Object.fromEntries(shown.map((row) => [row.id, siblingPlace(row)])),
        page: { hasMore: start > 0, before: start > 0 ? ids[start]! : null },
      } satisfies BranchPage
    },

    async strays(at) {
      const { sessionId, agentId = '' } = at
      const { rows } = await sql<Message>`
        with recursive reached(id) as (
          select id from message where session_id = ${sessionId} and agent_id = ${agentId} and parent_id = ''
          union
          select child.id from reached cross join message child
          where child.session_id = ${sessionId} and child.agent_id = ${agentId} and child.parent_id = reached.id
        )
        select * from message
        where session_id = ${sessionId} and agent_id = ${agentId} and id not in (select id from reached)
        order by seq`.execute(context.db)
      return rows.map(toStoredMessage)
    },
  }
}

/** Repeats the last id up to a power of two, so that a few statements serve all lists. */
export async function messagesById(
  db: Db,
  { sessionId, agentId = '' }: Conversation,
  ids: readonly string[],
): Promise<Message[]> {
  const size = 2 ** Math.ceil(Math.log2(ids.length))
  const select = (selects[size] ??= statement((db, values: Record<string, string>) =>
    db
      .selectFrom('message')
      .selectAll()
      .where('session_id', '=', values['sessionId']!)
      .where('agent_id', '=', values['agentId']!)
      .where(
        'id',
        'in',
        Array.from({ length: size }, (_, i) => values[i]!),
      ),
  ))
  const padded = Array.from({ length: size }, (_, i) => [i, ids[i] ?? ids.at(-1)!])
  return (await select(db, { sessionId, agentId, ...(Object.fromEntries(padded) as Record<string, string>) })).rows
}

const selects: ReturnType<typeof statement<Record<string, string>, Message>>[] = []

/** Most branches are short and new. A plain query finds those in a tenth of the time of a recursive one. */
const selectRecentLinks = statement((db, { sessionId, agentId }: Required<Conversation>) =>
  db
    .selectFrom('message')
    .select(['id', 'parent_id'])
    .where('session_id', '=', sessionId)
    .where('agent_id', '=', agentId)
    .orderBy('seq', 'desc')
    .limit(20),
)

const selectAncestors = statement(
  (_, { sessionId, agentId, leafId, limit }: Required<Conversation> & { leafId: string; limit: number }) => sql<Link>`
    with recursive chain(id, parent_id) as (
      select id, parent_id from message where session_id = ${sessionId} and agent_id = ${agentId} and id = ${leafId}
      union
      select parent.id, parent.parent_id from chain cross join message parent
      where parent.session_id = ${sessionId} and parent.agent_id = ${agentId} and parent.id = chain.parent_id
    )
    select id, parent_id from chain limit ${limit}`,
)

/** Returns the newest message without children, or the newest message if a cycle leaves none. */
async function newestLeaf(db: Db, { sessionId, agentId = '' }: Conversation): Promise<string | undefined> {
  const at = { sessionId, agentId }
  return ((await selectNewestLeaf(db, at)).rows[0] ?? (await selectNewest(db, at)).rows[0])?.id
}

const newestStatement = (leavesOnly: boolean) =>
  statement(
    (_, { sessionId, agentId }: Required<Conversation>) => sql<{ id: string }>`
      select m.id from message m
      where m.session_id = ${sessionId} and m.agent_id = ${agentId}
      ${leavesOnly ? sql`and ${hasNoChild(sql.ref('m.id'), sessionId, agentId)}` : sql``}
      order by m.seq desc limit 1`,
  )
const selectNewestLeaf = newestStatement(true)
const selectNewest = newestStatement(false)

/**
 * Returns ids from the root, or only the last `most`. Walks in pieces, since one long query would block the event loop.
 */
export async function branchIds(
  { db, log }: Pick<StoreContext, 'db' | 'log'>,
  at: Conversation,
  leafId: string,
  most = Infinity,
): Promise<string[]> {
  const ids = new Set<string>()
  const { sessionId, agentId = '' } = at
  let next = leafId
  let { rows } = await selectRecentLinks(db, { sessionId, agentId })
  while (next !== '' && ids.size < most) {
    if (!rows.some(({ id }) => id === next)) {
      const limit = Math.min(linksPerQuery, most - ids.size)
      ;({ rows } = await selectAncestors(db, { sessionId, agentId, leafId: next, limit }))
    }
    const parents = new Map(rows.map((row) => [row.id, row.parent_id]))
    if (!parents.has(next)) break
    for (
      let parent = parents.get(next);
      parent !== undefined && !ids.has(next) && ids.size < most;
      parent = parents.get(next)
    ) {
      ids.add(next)
      next = parent
    }
    if (!ids.has(next)) continue
    log({ level: 'warn', message: 'messages form a cycle; the branch ends there', ...at, messageId: next })
    break
  }
  if (ids.size === 0) throw messageNotFound(leafId)
  return [...ids].reverse()
}

/** Returns the answer that the user continued with, if the leaf is another answer of the same comparison. */
async function pickedInstead(db: Db, at: Conversation, leaf: string): Promise<string | undefined> {
  const comparison = await comparisonOf(db, at, leaf)
  const isOther = comparison?.picked !== leaf && comparison?.answers.some(({ messageId }) => messageId === leaf)
  return isOther === true ? comparison?.picked : undefined
}

async function comparisonOf(
  db: Db,
  { sessionId, agentId = '' }: Conversation,
  id: string,
): Promise<Comparison | undefined> {
  const { rows } = await selectParentMetadata(db, { sessionId, agentId, id })
  const metadata = rows[0]?.metadata ?? undefined
  return metadata === undefined ? undefined : (JSON.parse(metadata) as Metadata).comparison
}

const selectParentMetadata = statement(
  (_, { sessionId, agentId, id }: Required<Conversation> & { id: string }) => sql<{ metadata: string | null }>`
    select parent.metadata from message m
    join message parent
      on parent.session_id = m.session_id and parent.agent_id = m.agent_id and parent.id = m.parent_id
    where m.session_id = ${sessionId} and m.agent_id = ${agentId} and m.id = ${id}`,
)

async function newestLeafBelow(db: Db, at: Conversation, id: string): Promise<string | undefined> {
  const below = await readSubtree(db, at, id)
  const parents = new Set(below.map((row) => row.parent_id))
  const leaves = below.filter((row) => !parents.has(row.id))
  return (leaves.at(-1) ?? below.at(-1))?.id
}

/** Returns a message and its descendants in insertion order. Reads several levels at a time. */
export async function readSubtree(
  db: Db,
  { sessionId, agentId = '' }: Conversation,
  id: string,
): Promise<(Link & { seq: number })[]> {
  type Row = Link & { seq: number; depth: number }
  const found = new Map<string, Row>()
  const waiting = [id]
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    const { rows } = await sql<Row>`
      with recursive subtree(id, parent_id, seq, depth) as (
        select id, parent_id, seq, 0 from message
        where session_id = ${sessionId} and agent_id = ${agentId} and id = ${next}
        union all
        select child.id, child.parent_id, child.seq, depth + 1 from subtree cross join message child
        where child.session_id = ${sessionId} and child.agent_id = ${agentId} and child.parent_id = subtree.id
          and depth < ${levelsPerQuery}
      )
      select * from subtree`.execute(db)
    for (const row of rows) {
      if (row.depth === levelsPerQuery && !found.has(row.id)) waiting.push(row.id)
      if (!found.has(row.id)) found.set(row.id, row)
    }
  }
  return [...found.values()].sort((a, b) => a.seq - b.seq)
}

function hasNoChild(id: ReturnType<typeof sql.ref>, sessionId: string, agentId: string) {
  return sql`not exists (
    select 1 from message child
    where child.session_id = ${sessionId} and child.agent_id = ${agentId} and child.parent_id = ${id})`
}

/** Reads a page of messages with their positions among siblings, ordered by (createdAt, seq). */
async function readSiblingRows(
  db: Db,
  { sessionId, agentId = '' }: Conversation,
  ids: string[],
): Promise<SiblingRow[]> {
  if (ids.length === 0) return []
  const sibling = sql`from message s where s.session_id = m.session_id and s.agent_id = m.agent_id and s.parent_id = m.parent_id`
  const { rows } = await sql<SiblingRow>`
    select m.*,
      (select count(*) ${sibling}) as total,
      (select count(*) ${sibling} and (s.created_at, s.seq) <= (m.created_at, m.seq)) as place,
      (select s.id ${sibling} and (s.created_at, s.seq) < (m.created_at, m.seq)
        order by s.created_at desc, s.seq desc limit 1) as prev,
      (select s.id ${sibling} and (s.created_at, s.seq) > (m.created_at, m.seq)
        order by s.created_at, s.seq limit 1) as next
    from message m
    where m.session_id = ${sessionId} and m.agent_id = ${agentId} and m.id in (${sql.join(ids)})`.execute(db)
  const byId = new Map(rows.map((row) => [row.id, row]))
  return ids.flatMap((id) => byId.get(id) ?? [])
}

function siblingPlace(row: SiblingRow): SiblingPlace {
  return { index: row.place, total: row.total, prev: row.prev, next: row.next }
}
