import { isDeepStrictEqual } from 'node:util'
import type { AgentRecord, Ask, Session, StoredMessage } from '@troupe/core'
import { agentOf, agentRow } from './agents.ts'
import { askOf, askRow } from './asks.ts'
import { asksStream, checkId } from './context.ts'
import type { Change, Context, Db } from './context.ts'
import { noteCalls } from './calls.ts'
import { columnsOf, messageOf } from './message-row.ts'
import { fold, searchText } from './search.ts'
import { insertSession, nextSeq, sessionOf } from './sessions.ts'
import { defaultTitle } from './title.ts'

/** A session as it comes from outside, with everything that belongs to it. Parents may be missing. */
export interface SessionBundle {
  session: Omit<Session, 'messageCount'>
  agents: AgentRecord[]
  messages: { agentId: string; message: StoredMessage }[]
  asks: Ask[]
}

export interface Restored {
  created: boolean
  added: number
  skipped: number
  conflicts: Conflict[]
}

/** Something of that id is there already and says something else. */
interface Conflict {
  what: 'session' | 'agent' | 'message' | 'ask'
  id: string
  agentId?: string
}

/** Adds what is not there yet, as one commit, and overwrites nothing. */
export function createRestore(context: Context): (bundle: SessionBundle) => Promise<Restored> {
  return (bundle) =>
    context.write(async (db, changes) => {
      const report: Restored = { created: false, added: 0, skipped: 0, conflicts: [] }
      const known = await db.selectFrom('session').selectAll().where('id', '=', bundle.session.id).executeTakeFirst()
      if (known && known.workspace_id !== bundle.session.workspaceId) {
        report.conflicts.push({ what: 'session', id: known.id })
        return report
      }
      if (!known) {
        await createSession(context, db, bundle.session)
        report.created = true
      } else if (!isSameSession(sessionOf(known), bundle.session)) {
        report.conflicts.push({ what: 'session', id: known.id })
      }
      await restoreAgents(db, bundle, report, changes)
      await restoreMessages(context, db, bundle, report, changes)
      await restoreAsks(db, bundle, report, changes)
      changes.push({ type: 'session', sessionId: bundle.session.id })
      return report
    })
}

async function createSession({ search }: Context, db: Db, session: SessionBundle['session']): Promise<void> {
  checkId(session.id, 'session id')
  await insertSession(db, {
    id: session.id,
    workspace_id: session.workspaceId,
    project_id: session.projectId,
    title: session.title,
    renamed: session.renamed ? 1 : 0,
    untitled: session.title === defaultTitle && !session.renamed ? 1 : 0,
    pinned: session.pinned ? 1 : 0,
    archived: session.archived ? 1 : 0,
    folder_id: session.folderId,
    trashed_at: session.trashedAt,
    model: session.model,
    agent: session.agent,
    mode: session.mode,
    rules: JSON.stringify(session.rules),
    params: JSON.stringify(session.params ?? {}),
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
  report: Restored,
  changes: Change[],
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
      if (!isDeepStrictEqual(comparable(agentOf(known)), comparable(agentOf(row))))
        report.conflicts.push({ what: 'agent', id: agent.agentId })
      continue
    }
    await db.insertInto('agent').values(row).execute()
    changes.push({ type: 'agent', sessionId: session.id, agentId: agent.agentId })
  }
}

/** An import brings no prompt. */
function comparable({ details, ...record }: AgentRecord): unknown {
  return details === undefined
    ? record
    : { ...record, details: { ...details, setup: { ...details.setup, prompt: '' } } }
}

async function restoreMessages(
  { search }: Context,
  db: Db,
  { session, messages }: SessionBundle,
  report: Restored,
  changes: Change[],
): Promise<void> {
  let own = 0
  for (const { agentId, message } of messages) {
    checkId(message.id, 'message id')
    if (agentId !== '') checkId(agentId, 'agent id')
    const known = await db
      .selectFrom('message')
      .selectAll()
      .where('session_id', '=', session.id)
      .where('agent_id', '=', agentId)
      .where('id', '=', message.id)
      .executeTakeFirst()
    if (known) {
      if (isDeepStrictEqual(messageOf(known), message)) report.skipped++
      else report.conflicts.push({ what: 'message', id: message.id, ...(agentId !== '' && { agentId }) })
      continue
    }
    const { seq } = await nextSeq(db, session.id)
    await db
      .insertInto('message')
      .values({ session_id: session.id, agent_id: agentId, seq, ...columnsOf(message) })
      .execute()
    await noteCalls(db, session.id, message.parts)
    report.added++
    if (agentId !== '') continue
    own++
    const text = searchText(message.role, message.parts)
    if (text !== '') await search.index(db, { sessionId: session.id, messageId: message.id }, text)
  }
  for (const stream of new Set(messages.map((item) => item.agentId))) {
    changes.push({ type: 'lines', sessionId: session.id, stream })
  }
  if (own === 0) return
  await db
    .updateTable('session')
    .set((eb) => ({ message_count: eb('message_count', '+', own) }))
    .where('id', '=', session.id)
    .execute()
}

async function restoreAsks(
  db: Db,
  { session, asks }: SessionBundle,
  report: Restored,
  changes: Change[],
): Promise<void> {
  for (const ask of asks) {
    checkId(ask.id, 'ask id')
    const known = await db.selectFrom('ask').selectAll().where('id', '=', ask.id).executeTakeFirst()
    if (known) {
      if (!isDeepStrictEqual(askOf(known), ask)) report.conflicts.push({ what: 'ask', id: ask.id })
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
