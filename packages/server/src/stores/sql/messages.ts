import type { Conversation, SearchHit, Store, Viewer } from '@troupe/core'
import { NamedError, type StoredMessage } from '@troupe/protocol'
import { sql } from 'kysely'
import { yieldToEventLoop } from '../../util/concurrency.ts'
import { branches, messagesPerQuery, readSubtree } from './branches.ts'
import { tree } from './message-tree.ts'
import { recordCalls } from './calls.ts'
import {
  checkId,
  type Db,
  lockIfInside,
  lockSession,
  messageColumns,
  messageNotFound,
  metadataText,
  statement,
  type StoreContext,
  toStoredMessage,
} from './context.ts'
import type { Tables } from './tables.ts'
import { buildSnippet, fold, searchTerms, searchText, titleFrom, wholeText } from './message-text.ts'
import { removals } from './removals.ts'
import { removeRunsOfMessages } from './runs.ts'
import { nextSeq } from './sessions.ts'
import { visibleTo } from './visible.ts'

export function messages(context: StoreContext): Store['messages'] {
  const { clock, search } = context

  return {
    ...branches(context),
    takeOut: (at, what) => removals(context).takeOut(at, what),
    bringBack: (at, removalId) => removals(context).bringBack(at, removalId),
    purge: () => removals(context).purge(),
    tree: (at) => tree(context).tree(at),
    matches: (at, query) => tree(context).matches(at, query),
    rated: (query) => tree(context).rated(query),

    async add(at, message) {
      checkId(message.id, 'message id')
      if (at.agentId !== undefined) checkId(at.agentId, 'agent id')
      const row = { session_id: at.sessionId, agent_id: at.agentId ?? '', ...messageColumns(message) }
      await context.write(async (db, changes) => {
        // Run the steps that may throw first, so a caller can catch and continue in its own transaction.
        const { seq, untitled } = await nextSeq(db, at.sessionId)
        if (message.parentMessageId !== null) await mustExist(db, at, message.parentMessageId)
        const { numAffectedRows } = await insertMessage(db, { ...row, seq })
        if (numAffectedRows === 0n) {
          throw new NamedError('MessageExists', `A message ${message.id} already exists.`, {
            status: 409,
            data: { messageId: message.id },
          })
        }
        await recordCalls(db, at.sessionId, message.parts)
        const own = row.agent_id === ''
        const title = own && untitled === 1 && message.role === 'user' ? titleFrom(message.parts) : undefined
        await countMessage(db, { sessionId: at.sessionId, now: clock(), count: own ? 1 : 0 })
        if (title !== undefined) await setFirstTitle(db, { sessionId: at.sessionId, title })
        if (own) {
          const text = searchText(message.role, message.parts)
          if (text !== '') await search.index(db, { sessionId: at.sessionId, messageId: message.id }, text)
        }
        if (title !== undefined) await search.index(db, { sessionId: at.sessionId, messageId: '' }, fold(title))
        changes.push(
          { type: 'session', sessionId: at.sessionId },
          { type: 'lines', sessionId: at.sessionId, stream: row.agent_id },
        )
      })
    },

    async replace(at, message, { quiet = false } = {}) {
      await context.write(async (db, changes) => {
        await lockSession(db, at.sessionId)
        const stream = at.agentId ?? ''
        const replaced = await db
          .updateTable('message')
          .set({ parts: JSON.stringify(message.parts), metadata: metadataText(message.metadata) })
          .where('session_id', '=', at.sessionId)
          .where('agent_id', '=', stream)
          .where('id', '=', message.id)
          .returning(['seq', 'role'])
          .executeTakeFirst()
        if (!replaced) throw messageNotFound(message.id)
        await recordCalls(db, at.sessionId, message.parts)
        if (!quiet)
          await db.updateTable('session').set({ updated_at: clock() }).where('id', '=', at.sessionId).execute()
        if (stream === '') {
          const text = searchText(replaced.role, message.parts)
          await search.index(db, { sessionId: at.sessionId, messageId: message.id }, text)
        }
        changes.push(
          { type: 'session', sessionId: at.sessionId },
          { type: 'lines', sessionId: at.sessionId, stream, fromSeq: replaced.seq },
        )
      })
    },

    async get(at, id) {
      await lockIfInside(context.db, at.sessionId)
      const row = (await selectMessage(context.db, { ...key(at), id })).rows[0]
      return row && toStoredMessage(row)
    },

    async page(at, { after = 0, limit = 200 } = {}) {
      const count = Math.max(1, Math.min(limit, 1000))
      const rows = await context.db
        .selectFrom('message')
        .selectAll()
        .where('session_id', '=', at.sessionId)
        .where('agent_id', '=', at.agentId ?? '')
        .where('seq', '>', after)
        .orderBy('seq')
        .limit(count)
        .execute()
      return { messages: rows.map(toStoredMessage), next: rows.length < count ? null : rows.at(-1)!.seq }
    },

    async usesBlob(sha256) {
      // Matches a URL, or the bare hash in tool results.
      const named = `%${sha256}%`
      const { db } = context
      const there = await db
        .selectFrom('message')
        .select('id')
        .where('parts', 'like', named)
        .limit(1)
        .executeTakeFirst()
      // Media generated outside a session is referenced by its task.
      const kept = await db
        .selectFrom('setting')
        .select('key')
        .where('value', 'like', named)
        .limit(1)
        .executeTakeFirst()
      return there !== undefined || kept !== undefined
    },

    async remove(at, id) {
      return context.write(async (db, changes) => {
        await lockSession(db, at.sessionId)
        const stream = at.agentId ?? ''
        const rows = await readSubtree(db, at, id)
        if (rows.length === 0) throw messageNotFound(id)
        const removed = rows.map((row) => row.id)
        for (let i = 0; i < removed.length; i += 200)
          await db
            .deleteFrom('message')
            .where('session_id', '=', at.sessionId)
            .where('agent_id', '=', stream)
            .where('id', 'in', removed.slice(i, i + 200))
            .execute()
        const own = stream === ''
        await db
          .updateTable('session')
          .set((eb) => ({
            updated_at: clock(),
            message_count: own ? eb('message_count', '-', removed.length) : undefined,
          }))
          .where('id', '=', at.sessionId)
          .execute()
        if (own) await search.remove(db, at.sessionId, removed)
        await removeRunsOfMessages(db, at, removed)
        const fromSeq = rows[0]!.seq
        changes.push(
          { type: 'session', sessionId: at.sessionId },
          { type: 'lines', sessionId: at.sessionId, stream, fromSeq },
        )
        return removed
      })
    },

    async search({ workspaceId, query, sessionId, viewer, limit = 20 }) {
      const terms = searchTerms(query)
      if (terms.length === 0) return []
      const count = Math.max(1, Math.min(limit, 100))
      const { db } = context
      const found =
        sessionId === undefined
          ? await search.find(db, { workspaceId, terms, limit: count, viewer })
          : (await search.findIn(db, { sessionId, terms, limit: count })).map((messageId) => ({ sessionId, messageId }))
      const hits: SearchHit[] = []
      for (let i = 0; i < found.length; i += messagesPerQuery) {
        const some = found.slice(i, i + messagesPerQuery)
        const rows = await selectHits(db, { workspaceId, viewer }, some)
        for (const { sessionId, messageId } of some) {
          const row = rows.find(({ id, session_id }) => id === messageId && session_id === sessionId)
          if (row === undefined) continue
          await yieldToEventLoop()
          hits.push({
            sessionId,
            messageId,
            title: row.title,
            role: row.role as SearchHit['role'],
            snippet: buildSnippet(wholeText(JSON.parse(row.parts) as StoredMessage['parts']), terms),
            createdAt: row.created_at,
          })
        }
      }
      return hits
    },
  }
}

function selectHits(
  db: Db,
  { workspaceId, viewer }: { workspaceId: string; viewer: Viewer | undefined },
  hits: { sessionId: string; messageId: string }[],
) {
  const keys = sql.join(hits.map((hit) => sql`(${hit.sessionId}, ${hit.messageId})`))
  return db
    .selectFrom('message')
    .innerJoin('session', 'session.id', 'message.session_id')
    .select(['session_id', 'message.id', 'session.title', 'message.role', 'message.parts', 'message.created_at'])
    .where('session.workspace_id', '=', workspaceId)
    .where('session.trashed_at', 'is', null)
    .where(visibleTo(viewer))
    .where('message.agent_id', '=', '')
    .where(sql<boolean>`(message.session_id, message.id) in (values ${keys})`)
    .execute()
}

async function mustExist(db: Db, at: Conversation, id: string): Promise<void> {
  const { rows } = await selectMessageId(db, { ...key(at), id })
  if (rows.length === 0) throw messageNotFound(id)
}

function key({ sessionId, agentId = '' }: Conversation): Required<Conversation> {
  return { sessionId, agentId }
}

type MessageKey = Required<Conversation> & { id: string }

const selectMessage = statement((db, { sessionId, agentId, id }: MessageKey) =>
  db
    .selectFrom('message')
    .selectAll()
    .where('session_id', '=', sessionId)
    .where('agent_id', '=', agentId)
    .where('id', '=', id),
)

const selectMessageId = statement((db, { sessionId, agentId, id }: MessageKey) =>
  db
    .selectFrom('message')
    .select('id')
    .where('session_id', '=', sessionId)
    .where('agent_id', '=', agentId)
    .where('id', '=', id),
)

const insertMessage = statement((db, row: Tables['message']) =>
  db
    .insertInto('message')
    .values({
      session_id: row.session_id,
      agent_id: row.agent_id,
      id: row.id,
      parent_id: row.parent_id,
      seq: row.seq,
      role: row.role,
      created_at: row.created_at,
      metadata: row.metadata,
      parts: row.parts,
    })
    .onConflict((conflict) => conflict.columns(['session_id', 'agent_id', 'id']).doNothing()),
)

const setFirstTitle = statement((db, { sessionId, title }: { sessionId: string; title: string }) =>
  db.updateTable('session').set({ title, untitled: 0 }).where('id', '=', sessionId),
)

const countMessage = statement((db, { sessionId, now, count }: { sessionId: string; now: number; count: number }) =>
  db
    .updateTable('session')
    .set((eb) => ({ updated_at: now, message_count: eb('message_count', '+', count) }))
    .where('id', '=', sessionId),
)
