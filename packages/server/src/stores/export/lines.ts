import type { Session, Workspace } from '@troupe/core'
import { toAgentRecord } from '../sql/agents.ts'
import { toAsk } from '../sql/asks.ts'
import type { Db } from '../sql/context.ts'
import { removedMark } from '../sql/removals.ts'
import { toSession } from '../sql/sessions.ts'
import { statement } from '../sql/statement.ts'
import { asksStream, type Tables } from '../sql/tables.ts'
import { hiddenWorkspace } from '../sql/workspaces.ts'

/** Data missing from a session's files. An import cannot restore it. */
const leavesOut = ['runs', 'run-logs', 'blobs']

export interface ExportLine {
  seq: number
  text: string
}

export async function readExportLines(
  db: Db,
  sessionId: string,
  stream: string,
  after: number,
  limit: number,
): Promise<ExportLine[]> {
  if (stream === asksStream) {
    const rows = await db
      .selectFrom('ask')
      .selectAll()
      .where('session_id', '=', sessionId)
      .where('seq', '>', after)
      .orderBy('seq')
      .limit(limit)
      .execute()
    return rows.map((row) => ({ seq: row.seq, text: `${JSON.stringify(toAsk(row))}\n` }))
  }
  const { rows } = await selectMessages(db, { sessionId, stream, after, limit })
  return rows.map((row) => ({ seq: row.seq, text: messageLine(row) }))
}

const selectMessages = statement(
  (db, { sessionId, stream, after, limit }: { sessionId: string; stream: string; after: number; limit: number }) =>
    db
      .selectFrom('message')
      .selectAll()
      .where('session_id', '=', sessionId)
      .where('agent_id', '=', stream)
      .where('seq', '>', after)
      .orderBy('seq')
      .limit(limit),
)

/** Parts and metadata are already JSON in the database. */
function messageLine(row: Tables['message']): string {
  const parent = row.parent_id === '' ? 'null' : JSON.stringify(row.parent_id)
  const metadata = row.metadata === null ? '' : `"metadata":${row.metadata},`
  const head = `{"id":${JSON.stringify(row.id)},"parentMessageId":${parent},"role":${JSON.stringify(row.role)}`
  return `${head},"parts":${row.parts},${metadata}"createdAt":${row.created_at}}\n`
}

/** Returns the text of `session.json`, or undefined if the session is gone. */
export async function sessionText(db: Db, sessionId: string): Promise<string | undefined> {
  const row = (await selectSession(db, { sessionId })).rows[0]
  if (!row) return undefined
  return pretty({
    ...toSession(row),
    workspace: row.workspace,
    project: row.project,
    folder: row.inner === null ? null : [...(row.outer === null ? [] : [row.outer]), row.inner],
    leavesOut,
  } satisfies ExportedSession)
}

const selectSession = statement((db, { sessionId }: { sessionId: string }) =>
  db
    .selectFrom('session')
    .innerJoin('workspace', 'workspace.id', 'session.workspace_id')
    .leftJoin('project', 'project.id', 'session.project_id')
    .leftJoin('folder', 'folder.id', 'session.folder_id')
    .leftJoin('folder as outer', 'outer.id', 'folder.parent_id')
    .selectAll('session')
    .select(['workspace.path as workspace', 'project.path as project', 'folder.name as inner', 'outer.name as outer'])
    .where('session.id', '=', sessionId)
    .where('session.workspace_id', '<>', hiddenWorkspace),
)

type ExportedSession = Session & {
  workspace: Workspace['path']
  project: string | null
  /** Names of its folder path, outermost first. */
  folder: string[] | null
  leavesOut: string[]
}

export async function agentTexts(
  db: Db,
  sessionId: string,
  agentId?: string,
): Promise<{ agentId: string; text: string }[]> {
  const rows = await db
    .selectFrom('agent')
    .selectAll()
    .where('session_id', '=', sessionId)
    .$if(agentId !== undefined, (select) => select.where('agent_id', '=', agentId!))
    .execute()
  return rows.map((row) => ({ agentId: row.agent_id, text: pretty(toAgentRecord(row)) }))
}

/** True if any stream of the session has a message with this id, including removed ones. */
export async function hasMessage(db: Db, sessionId: string, id: string): Promise<boolean> {
  const found = await db
    .selectFrom('message')
    .select('id')
    .where('session_id', '=', sessionId)
    .where('id', '=', id)
    .executeTakeFirst()
  return found !== undefined
}

export async function listStreams(db: Db, sessionId: string): Promise<string[]> {
  const messages = await db
    .selectFrom('message')
    .select('agent_id')
    .distinct()
    .where('session_id', '=', sessionId)
    .where('agent_id', 'not like', `${removedMark}%`)
    .execute()
  const agents = await db.selectFrom('agent').select('agent_id').where('session_id', '=', sessionId).execute()
  return ['', asksStream, ...[...messages, ...agents].map((row) => row.agent_id)]
}

function pretty(value: unknown): string {
  return `${JSON.stringify(value, null, 2)}\n`
}
