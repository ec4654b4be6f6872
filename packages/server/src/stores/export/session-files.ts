import { removedMark, asksStream, type Db, statement } from '../sql/context.ts'
import type { Tables } from '../sql/tables.ts'
import {
  closeSync,
  constants,
  fstatSync,
  ftruncateSync,
  lstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  readSync,
  renameSync,
  rmSync,
  writeSync,
} from 'node:fs'
import { rm } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { Session, Workspace } from '@troupe/core'
import { isId } from '@troupe/protocol'
import { toAgentRecord } from '../sql/agents.ts'
import { toAsk } from '../sql/calls.ts'
import { toSession } from '../sql/sessions.ts'
import { hiddenWorkspace } from '../sql/hidden-sessions.ts'

/** Windows has no such flag. Only the check before opening protects there. */
const noFollow = constants.O_NOFOLLOW ?? 0

/**
 * The files in `sessions/`, written without fsync: the database is the source of truth and repairs them. Links in that
 * folder are not followed. A link in place of a file is replaced, and one in place of a folder is an error.
 */
export interface SessionFiles {
  path(sessionId: string, file: string): string
  /** Size of a regular file in bytes, or undefined if there is none. */
  size(path: string): number | undefined
  read(path: string, from: number, to: number): string
  readAll(path: string): string | undefined
  /** Truncates the file to `size` bytes and appends. */
  append(path: string, size: number, text: string): void
  /** Replaces the file atomically. Readers see the old or the new one. */
  replace(path: string, write: (append: (text: string) => void) => Promise<void> | void): Promise<void>
  removeSession(sessionId: string): Promise<void>
  removeAgent(sessionId: string, agentId: string): void
  agentFolders(sessionId: string): string[]
}

export const sessionFile = 'session.json'

export function createSessionFiles(root: string): SessionFiles {
  function makeFolder(path: string): void {
    if (path === root) {
      mkdirSync(root, { recursive: true, mode: 0o700 })
      return
    }
    const stats = lstatSync(path, { throwIfNoEntry: false })
    if (stats?.isDirectory()) return
    if (stats) throw new Error(`${path} is not a folder of ours; remove it to have the session exported again`)
    makeFolder(dirname(path))
    mkdirSync(path, { mode: 0o700 })
  }

  function size(path: string): number | undefined {
    const stats = lstatSync(path, { throwIfNoEntry: false })
    return stats?.isFile() ? stats.size : undefined
  }

  return {
    size,

    path: (sessionId, file) => join(root, sessionId, file),

    read(path, from, to) {
      const file = openSync(path, constants.O_RDONLY | noFollow)
      try {
        const bytes = Buffer.alloc(to - from)
        let at = 0
        while (at < bytes.length) {
          const count = readSync(file, bytes, at, bytes.length - at, from + at)
          if (count === 0) break
          at += count
        }
        return bytes.toString('utf8', 0, at)
      } finally {
        closeSync(file)
      }
    },

    readAll(path) {
      if (size(path) === undefined) return undefined
      return readFileSync(path, 'utf8')
    },

    append(path, size, text) {
      const file = openSync(path, constants.O_RDWR | noFollow)
      try {
        if (fstatSync(file).size > size) ftruncateSync(file, size)
        writeAll(file, Buffer.from(text), size)
      } finally {
        closeSync(file)
      }
    },

    async replace(path, write) {
      makeFolder(dirname(path))
      const part = `${path}.part`
      const file = openNew(part)
      try {
        let at = 0
        await write((text) => {
          const bytes = Buffer.from(text)
          writeAll(file, bytes, at)
          at += bytes.length
        })
      } finally {
        closeSync(file)
      }
      renameSync(part, path)
    },

    removeSession: (sessionId) => rm(join(root, sessionId), { recursive: true, force: true }),

    removeAgent: (sessionId, agentId) =>
      rmSync(join(root, sessionId, 'agents', agentId), { recursive: true, force: true }),

    agentFolders(sessionId) {
      const folder = join(root, sessionId, 'agents')
      if (!lstatSync(folder, { throwIfNoEntry: false })?.isDirectory()) return []
      return readdirSync(folder).filter(isId)
    },
  }
}

/** Creates a new file, replacing any leftover of a crash or another program. */
function openNew(path: string): number {
  const flags = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | noFollow
  try {
    return openSync(path, flags, 0o600)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
    rmSync(path, { force: true })
    return openSync(path, flags, 0o600)
  }
}

function writeAll(file: number, bytes: Buffer, position: number): void {
  let at = 0
  while (at < bytes.length) at += writeSync(file, bytes, at, bytes.length - at, position + at)
}

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
