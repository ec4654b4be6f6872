import { isDeepStrictEqual } from 'node:util'
import type { AgentRecord, Ask, Session } from '@troupe/core'
import type { StoredMessage } from '@troupe/protocol'
import { agentRow, toAgentRecord } from './agents.ts'
import { messagesPerQuery } from './branches.ts'
import { askRow, recordCalls, toAsk } from './calls.ts'
import {
  asksStream,
  checkId,
  type Db,
  messageColumns,
  type StoreChange,
  type StoreContext,
  toStoredMessage,
} from './context.ts'
import { fold, isDefaultTitle, searchText } from './message-text.ts'
import { insertSession, nextSeq, toSession } from './sessions.ts'
import { workspaceNotFound } from './workspaces.ts'
import { addHiddenWorkspace, hiddenWorkspace, purgeSession } from './hidden-sessions.ts'

/** An external session with all its data. Parents may be missing. */
export interface SessionBundle {
  session: Omit<Session, 'messageCount' | 'ownerId' | 'visibility'> & Partial<Pick<Session, 'ownerId' | 'visibility'>>
  agents: AgentRecord[]
  messages: { agentId: string; message: StoredMessage }[]
  asks: Ask[]
}

export interface RestoreResult {
  created: boolean
  added: number
  skipped: number
  conflicts: Conflict[]
}

interface Conflict {
  what: 'session' | 'agent' | 'message' | 'ask'
  id: string
  agentId?: string
}

/**
 * Adds missing data and overwrites nothing. A new session stays hidden until it is complete. A known one grows by some
 * messages per commit. `signal` aborts between commits.
 */
export function createRestore(
  context: StoreContext,
): (bundle: SessionBundle, options?: { signal?: AbortSignal }) => Promise<RestoreResult> {
  return (bundle, { signal } = {}) => context.serialize(bundle.session.id, () => restore(bundle, signal))

  async function restore(bundle: SessionBundle, signal: AbortSignal | undefined): Promise<RestoreResult> {
    const { session } = bundle
    const report: RestoreResult = { created: false, added: 0, skipped: 0, conflicts: [] }
    const find = () => context.db.selectFrom('session').selectAll().where('id', '=', session.id).executeTakeFirst()
    let known = await find()
    if (known?.workspace_id === hiddenWorkspace) {
      // A restore that was interrupted, or a session being deleted.
      await purgeSession(context, session.id)
      known = await find()
    }
    const isOthers = session.ownerId !== undefined && known !== undefined && known.owner_id !== session.ownerId
    if (known && (isOthers || known.workspace_id !== session.workspaceId)) {
      report.conflicts.push({ what: 'session', id: known.id })
      return report
    }
    if (known && !isSameSession(toSession(known), session)) report.conflicts.push({ what: 'session', id: known.id })
    const first = bundle.messages.slice(0, messagesPerCommit)
    const isSmall = first.length === bundle.messages.length
    report.created = !known
    if (isSmall) {
      await counted(async (db, changes, part) => {
        if (!known) await createSession(context, db, session)
        await restoreMessages(context, db, session.id, first, part)
        await finish(db, changes, part)
      })
      return report
    }
    try {
      if (!known) await context.write((db) => createSession(context, db, session))
      for (let i = 0; i < bundle.messages.length; i += messagesPerCommit) {
        signal?.throwIfAborted()
        await counted(async (db, changes, part) => {
          const some = bundle.messages.slice(i, i + messagesPerCommit)
          await restoreMessages(context, db, session.id, some, part)
          if (known) for (const change of linesOf(some)) changes.push(change)
        })
      }
      await counted(finish)
    } catch (error) {
      if (!known) await purgeSession(context, session.id)
      throw error
    }
    return report

    /** A commit may be tried more than once, and only its last try counts. */
    async function counted(
      work: (db: Db, changes: StoreChange[], part: RestoreResult) => Promise<void>,
    ): Promise<void> {
      const part = await context.write(async (db, changes) => {
        const part: RestoreResult = { created: false, added: 0, skipped: 0, conflicts: [] }
        await work(db, changes, part)
        return part
      })
      report.added += part.added
      report.skipped += part.skipped
      report.conflicts.push(...part.conflicts)
    }

    async function finish(db: Db, changes: StoreChange[], part: RestoreResult): Promise<void> {
      await restoreAgents(db, bundle, part, changes)
      await restoreAsks(db, bundle, part, changes)
      if (!known) await showSession(db, session)
      changes.push(...linesOf(bundle.messages), { type: 'session', sessionId: session.id })
    }

    function linesOf(messages: SessionBundle['messages']): StoreChange[] {
      const streams = new Set(messages.map(({ agentId }) => agentId))
      return Array.from(streams, (stream) => ({ type: 'lines', sessionId: session.id, stream }))
    }
  }
}

async function showSession(db: Db, { id, workspaceId, projectId, folderId }: SessionBundle['session']): Promise<void> {
  await db
    .updateTable('session')
    .set({ workspace_id: workspaceId, project_id: projectId, folder_id: folderId })
    .where('id', '=', id)
    .execute()
}

/** Maximum messages per commit, since other writers wait for it. */
const messagesPerCommit = 500

/** Hidden until the session is complete. */
async function createSession({ search }: StoreContext, db: Db, session: SessionBundle['session']): Promise<void> {
  checkId(session.id, 'session id')
  const workspace = await db
    .selectFrom('workspace')
    .select('id')
    .where('id', '=', session.workspaceId)
    .executeTakeFirst()
  if (!workspace) throw workspaceNotFound(session.workspaceId)
  await addHiddenWorkspace(db)
  await insertSession(db, {
    id: session.id,
    workspace_id: hiddenWorkspace,
    project_id: null,
    title: session.title,
    renamed: session.renamed ? 1 : 0,
    untitled: isDefaultTitle(session.title) && !session.renamed ? 1 : 0,
    pinned: session.pinned ? 1 : 0,
    archived: session.archived ? 1 : 0,
    folder_id: null,
    trashed_at: session.trashedAt,
    model: session.model,
    agent: session.agent,
    mode: session.mode,
    rules: JSON.stringify(session.rules),
    params: JSON.stringify(session.params ?? {}),
    owner_id: session.ownerId ?? null,
    visibility: session.visibility ?? 'private',
    message_count: 0,
    seq: 0,
    last_number: 0,
    created_at: session.createdAt,
    updated_at: session.updatedAt,
  })
  await search.index(db, { sessionId: session.id, messageId: '' }, fold(session.title))
}

function isSameSession(known: Session, other: SessionBundle['session']): boolean {
  const said = (session: SessionBundle['session']) => [session.title, session.renamed, session.pinned, session.archived]
  return isDeepStrictEqual(said(known), said(other)) && known.createdAt === other.createdAt
}

async function restoreAgents(
  db: Db,
  { session, agents }: SessionBundle,
  report: RestoreResult,
  changes: StoreChange[],
): Promise<void> {
  for (const agent of agents) {
    checkId(agent.agentId, 'agent id')
    const row = agentRow({ ...agent, sessionId: session.id })
    const known = await db
      .selectFrom('agent')
      .selectAll()
      .where('session_id', '=', session.id)
      .where('agent_id', '=', agent.agentId)
      .executeTakeFirst()
    if (known) {
      if (!isDeepStrictEqual(comparable(toAgentRecord(known)), comparable(toAgentRecord(row))))
        report.conflicts.push({ what: 'agent', id: agent.agentId })
      continue
    }
    await db.insertInto('agent').values(row).execute()
    changes.push({ type: 'agent', sessionId: session.id, agentId: agent.agentId })
  }
}

/** An import has no prompt. */
function comparable({ details, ...record }: AgentRecord): unknown {
  return details === undefined
    ? record
    : { ...record, details: { ...details, setup: { ...details.setup, prompt: '' } } }
}

async function restoreMessages(
  { search }: StoreContext,
  db: Db,
  sessionId: string,
  messages: SessionBundle['messages'],
  report: RestoreResult,
): Promise<void> {
  if (messages.length === 0) return
  let own = 0
  let seq = (await nextSeq(db, sessionId)).seq - 1
  for (let i = 0; i < messages.length; i += messagesPerQuery) {
    const some = messages.slice(i, i + messagesPerQuery)
    const added = await insertMissing(db, sessionId, some, seq)
    seq += some.length
    report.added += added.length
    await recordCalls(
      db,
      sessionId,
      added.flatMap(({ message }) => message.parts),
    )
    const shown = added.filter(({ agentId }) => agentId === '')
    own += shown.length
    const texts = shown.map(({ message }) => ({ messageId: message.id, text: searchText(message.role, message.parts) }))
    await search.indexAll(db, sessionId, texts)
    for (const one of some.filter((one) => !added.includes(one))) {
      if (await isSameMessage(db, sessionId, one.agentId, one.message)) report.skipped++
      else report.conflicts.push({ what: 'message', id: one.message.id, agentId: one.agentId || undefined })
    }
  }
  await db
    .updateTable('session')
    .set((eb) => ({ seq, message_count: eb('message_count', '+', own) }))
    .where('id', '=', sessionId)
    .execute()
}

/** Returns those that were added. */
async function insertMissing(
  db: Db,
  sessionId: string,
  messages: SessionBundle['messages'],
  seq: number,
): Promise<SessionBundle['messages']> {
  for (const { agentId, message } of messages) {
    checkId(message.id, 'message id')
    if (agentId !== '') checkId(agentId, 'agent id')
  }
  const rows = messages.map(({ agentId, message }, index) => ({
    session_id: sessionId,
    agent_id: agentId,
    seq: seq + 1 + index,
    ...messageColumns(message),
  }))
  const inserted = await db
    .insertInto('message')
    .values(rows)
    .onConflict((conflict) => conflict.columns(['session_id', 'agent_id', 'id']).doNothing())
    .returning('seq')
    .execute()
  const seqs = new Set(inserted.map((row) => row.seq))
  return messages.filter((_, index) => seqs.has(seq + 1 + index))
}

async function isSameMessage(db: Db, sessionId: string, agentId: string, message: StoredMessage): Promise<boolean> {
  const known = await db
    .selectFrom('message')
    .selectAll()
    .where('session_id', '=', sessionId)
    .where('agent_id', '=', agentId)
    .where('id', '=', message.id)
    .executeTakeFirstOrThrow()
  return isDeepStrictEqual(toStoredMessage(known), message)
}

async function restoreAsks(
  db: Db,
  { session, asks }: SessionBundle,
  report: RestoreResult,
  changes: StoreChange[],
): Promise<void> {
  for (const ask of asks) {
    checkId(ask.id, 'ask id')
    const known = await db.selectFrom('ask').selectAll().where('id', '=', ask.id).executeTakeFirst()
    if (known) {
      if (!isDeepStrictEqual(toAsk(known), ask)) report.conflicts.push({ what: 'ask', id: ask.id })
      continue
    }
    const { seq } = await nextSeq(db, session.id)
    await db
      .insertInto('ask')
      .values(askRow({ ...ask, sessionId: session.id }, seq))
      .execute()
  }
  if (asks.length > 0) changes.push({ type: 'lines', sessionId: session.id, stream: asksStream })
}
