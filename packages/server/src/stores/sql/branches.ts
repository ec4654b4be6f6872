import { sql } from 'kysely'
import type { BranchPage, Conversation, SiblingPlace, Store } from '@troupe/core'
import { messageNotFound } from './context.ts'
import type { Context, Db } from './context.ts'
import { messageOf } from './message-row.ts'
import type { Tables } from './tables.ts'

type Message = Tables['message']
type Link = Pick<Message, 'id' | 'parent_id'>
type Shown = Message & { place: number; total: number; prev: string | null; next: string | null }

/**
 * Reading the tree. Every walk starts from a key and follows an index, so it costs what it visits; `union` (not
 * `union all`) ends it when it comes round a cycle, and `cross join` keeps the walked rows on the outside of the join.
 */
export function branches(context: Context): Pick<Store['messages'], 'chain' | 'branch' | 'latestLeaf' | 'strays'> {
  const { log } = context

  async function latestLeaf(at: Conversation, belowId?: string): Promise<string | undefined> {
    const newest = await newestLeaf(context.db, at)
    if (belowId === undefined || newest === undefined) return newest
    // Mostly it is the newest of all, and the way up from there is far shorter than all ways down.
    const { rows } = await sql`${walkUp(at, newest)} select id from chain where id = ${belowId} limit 1`.execute(
      context.db,
    )
    return rows.length > 0 ? newest : newestLeafBelow(context.db, at, belowId)
  }

  /** Leaf to root turned into root to leaf. */
  function inOrder<T extends Link>(at: Conversation, rows: T[], leafId: string): T[] {
    const byId = new Map(rows.map((row) => [row.id, row]))
    const ordered = new Set<T>()
    let row = byId.get(leafId)
    while (row !== undefined && !ordered.has(row)) {
      ordered.add(row)
      row = byId.get(row.parent_id)
    }
    if (row !== undefined) {
      log({ level: 'warn', message: 'messages form a cycle; the branch ends there', ...at, messageId: row.id })
    }
    return [...ordered].reverse()
  }

  /** From the root, or only the last `most`. */
  async function idsUpTo(at: Conversation, leafId: string, most?: number): Promise<string[]> {
    const limit = most === undefined ? sql`` : sql`limit ${most}`
    const { rows } = await sql<Link>`${walkUp(at, leafId)} select id, parent_id from chain ${limit}`.execute(context.db)
    if (rows.length === 0) throw messageNotFound(leafId)
    return inOrder(at, rows, leafId).map((row) => row.id)
  }

  return {
    latestLeaf,

    async chain(at, leafId) {
      const { rows } = await sql<Message>`
        ${walkUp(at, leafId)}
        select m.* from chain cross join message m
        where m.session_id = ${at.sessionId} and m.agent_id = ${at.agentId ?? ''} and m.id = chain.id`.execute(
        context.db,
      )
      if (rows.length === 0) throw messageNotFound(leafId)
      return inOrder(at, rows, leafId).map(messageOf)
    },

    async branch(at, options = {}) {
      let leafId = options.leaf ?? (await latestLeaf(at))
      if (leafId === undefined) {
        if (options.before !== undefined) throw messageNotFound(options.before)
        return { leafMessageId: null, messages: [], siblings: {}, page: { hasMore: false, before: null } }
      }
      const limit = Math.max(1, Math.min(options.limit ?? 50, 1000))
      // What is seen first costs what it shows; further up the way there is walked from the leaf, which ends in a cycle too.
      let ids = await idsUpTo(at, leafId, options.before === undefined ? limit + 1 : undefined)
      if (options.leaf === undefined && options.before !== undefined && !ids.includes(options.before)) {
        // Another branch has become the newest since the first page was shown.
        leafId = (await latestLeaf(at, options.before)) ?? leafId
        ids = await idsUpTo(at, leafId)
      }
      const end = options.before === undefined ? ids.length : ids.indexOf(options.before)
      if (end === -1) throw messageNotFound(options.before!)
      const start = Math.max(0, end - limit)
      const shown = await readShown(context.db, at, ids.slice(start, end))
      return {
        leafMessageId: leafId,
        messages: shown.map(messageOf),
        siblings: Object.fromEntries(shown.map((row) => [row.id, placeOf(row)])),
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
      return rows.map(messageOf)
    },
  }
}

function walkUp({ sessionId, agentId = '' }: Conversation, leafId: string) {
  return sql`
    with recursive chain(id, parent_id) as (
      select id, parent_id from message where session_id = ${sessionId} and agent_id = ${agentId} and id = ${leafId}
      union
      select parent.id, parent.parent_id from chain cross join message parent
      where parent.session_id = ${sessionId} and parent.agent_id = ${agentId} and parent.id = chain.parent_id
    )`
}

/** The newest message without children; where a cycle leaves none, the newest message. */
async function newestLeaf(db: Db, { sessionId, agentId = '' }: Conversation): Promise<string | undefined> {
  const newest = (leavesOnly: boolean) =>
    sql<{ id: string }>`
      select m.id from message m
      where m.session_id = ${sessionId} and m.agent_id = ${agentId}
      ${leavesOnly ? sql`and ${hasNoChild(sql.ref('m.id'), sessionId, agentId)}` : sql``}
      order by m.seq desc limit 1`.execute(db)
  return ((await newest(true)).rows[0] ?? (await newest(false)).rows[0])?.id
}

async function newestLeafBelow(
  db: Db,
  { sessionId, agentId = '' }: Conversation,
  id: string,
): Promise<string | undefined> {
  const { rows } = await sql<{ id: string }>`
    with recursive subtree(id, seq) as (
      select id, seq from message where session_id = ${sessionId} and agent_id = ${agentId} and id = ${id}
      union
      select child.id, child.seq from subtree cross join message child
      where child.session_id = ${sessionId} and child.agent_id = ${agentId} and child.parent_id = subtree.id
    )
    select id from subtree
    order by case when ${hasNoChild(sql.ref('subtree.id'), sessionId, agentId)} then 0 else 1 end, seq desc limit 1`.execute(
    db,
  )
  return rows[0]?.id
}

function hasNoChild(id: ReturnType<typeof sql.ref>, sessionId: string, agentId: string) {
  return sql`not exists (
    select 1 from message child
    where child.session_id = ${sessionId} and child.agent_id = ${agentId} and child.parent_id = ${id})`
}

/** The messages of one page with their places among their siblings, which stand in the order (createdAt, seq). */
async function readShown(db: Db, { sessionId, agentId = '' }: Conversation, ids: string[]): Promise<Shown[]> {
  if (ids.length === 0) return []
  const sibling = sql`from message s where s.session_id = m.session_id and s.agent_id = m.agent_id and s.parent_id = m.parent_id`
  const { rows } = await sql<Shown>`
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

function placeOf(row: Shown): SiblingPlace {
  return { index: row.place, total: row.total, prev: row.prev, next: row.next }
}
