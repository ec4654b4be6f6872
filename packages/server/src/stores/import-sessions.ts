import { closeSync, constants, lstatSync, openSync, readdirSync, readFileSync, readSync } from 'node:fs'
import { basename, join, relative, resolve } from 'node:path'
import type { AgentRecord, Ask, Folder, Store } from '@troupe/core'
import { errorInfo, isId, NamedError, newId, type StoredMessage } from '@troupe/protocol'
import type { z } from 'zod'
import { yieldToEventLoop } from '../util/concurrency.ts'
import { agentSchema, askSchema, importedSettings, messageSchema, sessionSchema } from './exported-schemas.ts'
import { defaultTitle } from './sql/message-text.ts'
import type { RestoreResult, SessionBundle } from './sql/restore.ts'
import type { SqlStore } from './sql/sql-store.ts'

export interface ImportReport {
  sessions: (RestoreResult & { sessionId: string; folder: string })[]
  /** Unreadable entries by file and line. The rest was imported. */
  problems: ImportProblem[]
}

export interface ImportProblem {
  file: string
  line?: number
  message: string
}

type Report = (problem: ImportProblem) => void

/**
 * Imports exported sessions from a folder of sessions or one session's folder. Existing data stays unchanged, and
 * differences are reported. Runs, run logs and blobs are not in such folders. Allow rules are dropped, since anyone can
 * write such a folder. Deny rules are kept. `closesAsks` closes open asks.
 */
export async function importSessions(
  store: SqlStore,
  folder: string,
  {
    workspaceId,
    closesAsks = false,
    signal,
  }: { workspaceId: string; closesAsks?: boolean; signal?: AbortSignal | undefined },
): Promise<ImportReport> {
  const root = resolve(folder)
  const report: ImportReport = { sessions: [], problems: [] }
  const problem: Report = (found) =>
    report.problems.push({ ...found, file: relative(root, found.file) || basename(root) })
  for (const path of sessionFolders(root, problem)) {
    signal?.throwIfAborted()
    const bundle = await readSession(store, path, workspaceId, problem)
    if (!bundle) continue
    if (closesAsks) bundle.asks = bundle.asks.map((ask) => ({ ...ask, closedAt: ask.closedAt ?? ask.createdAt }))
    try {
      report.sessions.push({
        sessionId: bundle.session.id,
        folder: path,
        ...(await store.restore(bundle, { signal })),
      })
    } catch (error) {
      signal?.throwIfAborted()
      problem({ file: path, message: `not imported: ${errorInfo(error).message}` })
    }
  }
  return report
}

function sessionFolders(root: string, problem: Report): string[] {
  const names = readdirSync(root, { withFileTypes: true })
  if (names.some((entry) => entry.name === 'session.json' || entry.name === 'messages.jsonl')) return [root]
  return names
    .filter((entry) => isFolder(entry, join(root, entry.name), problem))
    .map((entry) => join(root, entry.name))
}

function isFolder(
  entry: { isDirectory(): boolean; isSymbolicLink(): boolean },
  path: string,
  problem: Report,
): boolean {
  if (entry.isSymbolicLink()) problem({ file: path, message: 'a link; skipped' })
  return entry.isDirectory()
}

async function readSession(
  store: Store,
  folder: string,
  workspaceId: string,
  problem: Report,
): Promise<SessionBundle | undefined> {
  const file = join(folder, 'session.json')
  const parsed = sessionSchema.safeParse(readJson(file, problem) ?? {})
  if (!parsed.success) {
    problem({ file, message: parsed.error.issues[0]?.message ?? 'not a chat' })
    return undefined
  }
  const said = parsed.data
  const id = said.id ?? basename(folder)
  if (!isId(id)) {
    problem({ file: folder, message: 'the folder has no session.json and its name is not a valid session id' })
    return undefined
  }
  const messages = await readMessages(join(folder, 'messages.jsonl'), '', problem)
  const agents = await readAgents(id, join(folder, 'agents'), problem)
  const lines = await readJsonLines(join(folder, 'asks.jsonl'), askSchema, problem)
  const asks = lines.map((ask) => ({ ...ask, sessionId: id }) as Ask)
  const createdAt = said.createdAt ?? messages[0]?.message.createdAt ?? 0
  return {
    session: {
      id,
      workspaceId,
      projectId: await findProject(store, workspaceId, said.project ?? null),
      title: said.title ?? defaultTitle,
      folderId: await findFolder(store, workspaceId, said.folder ?? []),
      trashedAt: said.trashedAt ?? null,
      ...importedSettings(said, createdAt),
    },
    agents: agents.flatMap((agent) => agent.record ?? []),
    messages: [...messages, ...agents.flatMap((agent) => agent.messages)],
    asks,
  }
}

async function readMessages(file: string, agentId: string, problem: Report): Promise<SessionBundle['messages']> {
  const lines = await readJsonLines(file, messageSchema, problem)
  return lines.map((message) => ({ agentId, message: message as StoredMessage }))
}

async function readAgents(sessionId: string, folder: string, problem: Report) {
  if (!lstatSync(folder, { throwIfNoEntry: false })?.isDirectory()) return []
  const agents: { record?: AgentRecord; messages: SessionBundle['messages'] }[] = []
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name)
    if (!isFolder(entry, path, problem)) continue
    if (!isId(entry.name)) {
      problem({ file: path, message: 'the folder name is not a valid agent id' })
      continue
    }
    const messages = await readMessages(join(path, 'messages.jsonl'), entry.name, problem)
    const file = join(path, 'session.json')
    const parsed = agentSchema.safeParse(readJson(file, problem))
    if (!parsed.success) problem({ file, message: 'not a sub-agent record; its messages were imported' })
    agents.push({ record: parsed.success ? { ...parsed.data, sessionId, agentId: entry.name } : undefined, messages })
  }
  return agents
}

/** Reads only regular files: a link could point anywhere. */
function readJson(file: string, problem: Report): unknown {
  const stats = lstatSync(file, { throwIfNoEntry: false })
  if (!stats?.isFile()) {
    problem({ file, message: stats ? 'not a regular file; skipped' : 'missing' })
    return undefined
  }
  try {
    return JSON.parse(readFileSync(file, 'utf8')) as unknown
  } catch {
    problem({ file, message: 'not JSON' })
    return undefined
  }
}

/** Returns the project at the same path, if that is inside the workspace. */
async function findProject(store: Store, workspaceId: string, path: string | null): Promise<string | null> {
  if (path === null) return null
  const projects = await store.workspaces.projects(workspaceId)
  const known = projects.find((project) => project.path === path)
  if (known) return known.id
  try {
    return (await store.workspaces.openProject(workspaceId, path)).id
  } catch (error) {
    if (error instanceof NamedError) return null
    throw error
  }
}

/** Returns the folder with these names, outermost first. Creates missing ones. Null for no names. */
export async function findFolder(
  store: Pick<Store, 'folders'>,
  workspaceId: string,
  names: string[],
): Promise<string | null> {
  let parentFolderId: string | null = null
  for (const name of names.slice(0, 2)) {
    const folders = await store.folders.list(workspaceId)
    const known: Folder | undefined = folders.find(
      (folder) => folder.name === name && folder.parentFolderId === parentFolderId,
    )
    const folder: Folder = known ?? (await store.folders.create({ id: newId('f_'), workspaceId, name, parentFolderId }))
    parentFolderId = folder.id
  }
  return parentFolderId
}

const chunkBytes = 1 << 20
const newline = 0x0a

/**
 * Reads objects from a JSON Lines file. A later line replaces an earlier one with the same id. Reports invalid lines by
 * number, and a truncated last line separately.
 */
async function readJsonLines<T extends { id: string }>(
  path: string,
  schema: z.ZodType<T>,
  problem: (problem: { file: string; line?: number; message: string }) => void,
): Promise<T[]> {
  const stats = lstatSync(path, { throwIfNoEntry: false })
  if (!stats) return []
  if (!stats.isFile()) {
    problem({ file: path, message: 'not a regular file; skipped' })
    return []
  }
  const found = new Map<string, T>()
  let number = 0
  for (const { text, whole } of splitLines(path)) {
    await yieldToEventLoop()
    number++
    if (text.trim() === '') continue
    const value = parse(text)
    if (value === undefined) {
      problem({ file: path, line: number, message: whole ? 'not JSON' : 'the last line is incomplete' })
      continue
    }
    const parsed = schema.safeParse(value)
    if (parsed.success) found.set(parsed.data.id, parsed.data)
    else problem({ file: path, line: number, message: complaint(parsed.error) })
  }
  return [...found.values()]
}

/** Splits at newline bytes only, since other line separators may be part of JSON. */
function* splitLines(path: string): Generator<{ text: string; whole: boolean }> {
  const file = openSync(path, constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0))
  try {
    const chunk = Buffer.alloc(chunkBytes)
    let pieces: Buffer[] = []
    for (let count = readSync(file, chunk); count > 0; count = readSync(file, chunk)) {
      let start = 0
      for (let end = chunk.indexOf(newline); end !== -1 && end < count; end = chunk.indexOf(newline, start)) {
        pieces.push(chunk.subarray(start, end))
        yield { text: Buffer.concat(pieces).toString('utf8'), whole: true }
        pieces = []
        start = end + 1
      }
      pieces.push(Buffer.from(chunk.subarray(start, count)))
    }
    const rest = Buffer.concat(pieces).toString('utf8')
    if (rest !== '') yield { text: rest, whole: false }
  } finally {
    closeSync(file)
  }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text) as unknown
  } catch {
    return undefined
  }
}

function complaint(error: z.ZodError): string {
  const issue = error.issues[0]
  return issue ? `${issue.path.join('.') || 'line'}: ${issue.message}` : 'not in the expected format'
}
