import { type Kysely, sql } from 'kysely'
import { databaseNow, type Nodes } from './nodes.ts'
import type { ClusterTables } from './tables.ts'

/** A chat lives on one node at a time, which holds its lease. Every claim raises the fence. */
export interface SessionLeases {
  /** The fence of a chat that this node holds. */
  fenceOf(sessionId: string): number | undefined
  /** Node ids of the last known holders are read from the database. Undefined if no live node holds the chat. */
  holder(sessionId: string): Promise<string | undefined>
  /** Takes the chat unless a live node holds it. Returns the holder. */
  claim(sessionId: string): Promise<string>
  /** Grows each time a chat is lost. */
  moment(): number
  /** True if this node lost the chat after that moment, or lost it before and did not claim it again. */
  isLost(sessionId: string, since: number): boolean
  /** Notes that another node has the chat. */
  lose(sessionId: string): void
  /** Gives the chats up, so that any node can claim them. */
  release(sessionIds: readonly string[]): Promise<void>
  held(): readonly string[]
}

/** The runs of a lost chat end within moments, so old entries are not needed. */
const maxLost = 10_000

export function createSessionLeases(db: Kysely<ClusterTables>, nodes: Nodes): SessionLeases {
  const fences = new Map<string, number>()
  const lost = new Map<string, number>()
  let moment = 0
  return {
    fenceOf: (sessionId) => fences.get(sessionId),
    async holder(sessionId) {
      if (fences.has(sessionId) && nodes.isValid()) return nodes.self.id
      const row = await db
        .selectFrom('session_lease')
        .innerJoin('node', 'node.id', 'session_lease.node_id')
        .select('node_id')
        .where('session_id', '=', sessionId)
        .where('until', '>', databaseNow)
        .executeTakeFirst()
      return row?.node_id
    },
    async claim(sessionId) {
      nodes.assertValid()
      const { id } = nodes.self
      if (fences.has(sessionId)) return id
      const { rows } = await sql<{ fence: number }>`
        insert into session_lease (session_id, node_id, fence) values (${sessionId}, ${id}, 1)
        on conflict (session_id) do update set node_id = ${id}, fence = session_lease.fence + 1
        where not exists (
          select 1 from node where node.id = session_lease.node_id and node.until > ${databaseNow} and node.id <> ${id}
        )
        returning fence`.execute(db)
      const [row] = rows
      if (row !== undefined) {
        fences.set(sessionId, row.fence)
        return id
      }
      const held = await db
        .selectFrom('session_lease')
        .select('node_id')
        .where('session_id', '=', sessionId)
        .executeTakeFirstOrThrow()
      return held.node_id
    },
    moment: () => moment,
    isLost(sessionId, since) {
      const at = lost.get(sessionId)
      return at !== undefined && (at > since || !fences.has(sessionId))
    },
    lose(sessionId) {
      if (!fences.delete(sessionId)) return
      lost.delete(sessionId)
      lost.set(sessionId, ++moment)
      if (lost.size > maxLost) lost.delete(lost.keys().next().value as string)
    },
    async release(sessionIds) {
      const ours = sessionIds.flatMap((id) => {
        const fence = fences.get(id)
        fences.delete(id)
        return fence === undefined ? [] : [{ id, fence }]
      })
      if (ours.length === 0) return
      await sql`
        update session_lease set node_id = ''
        from unnest(${ours.map(({ id }) => id)}::text[], ${ours.map(({ fence }) => fence)}::bigint[]) as ours (id, fence)
        where session_lease.session_id = ours.id and session_lease.fence = ours.fence`.execute(db)
    },
    held: () => [...fences.keys()],
  }
}
