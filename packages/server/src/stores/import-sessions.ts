import { lstatSync, readdirSync, readFileSync } from 'node:fs'
import { basename, join, relative, resolve } from 'node:path'
import { errorInfo, isId, NamedError } from '@troupe/core'
import type { AgentRecord, Ask, Store, StoredMessage } from '@troupe/core'
import { findFolder } from './find-folder.ts'
import { readJsonLines } from './read-json-lines.ts'
import type { SqlStore } from './sql-store.ts'
import type { RestoreResult, SessionBundle } from './sql/restore.ts'
import { agentSchema, askSchema, messageSchema, sessionSchema } from './exported-schemas.ts'
import { defaultTitle } from './sql/title.ts'

export interface ImportReport {
  sessions: (RestoreResult & { sessionId: string; folder: string })[]
  /** What could not be read, by file and line; the rest was taken. */
  problems: ImportProblem[]
}

export interface ImportProblem {
  file: string
  line?: number
  message: string
}

type Report = (problem: ImportProblem) => void

/**
 * Reads exported sessions back: a folder of sessions, or one session's folder. What is there already is left as it
 * is; what differs is reported. Runs, run logs and blobs are not in such folders. What a session was allowed is not
 * taken, for anybody can write such a folder; what was refused in it is. `closesAsks`: what waited for a person waits no
 * longer.
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
        ...(await store.restore(bundle, { ...(signal && { signal }) })),
      })
    } catch (error) {
      signal?.throwIfAborted()
      problem({ file: path, message: `not taken: ${errorInfo(error).message}` })
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
  if (entry.isSymbolicLink()) problem({ file: path, message: 'a link; it is not followed' })
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
    problem({ file, message: parsed.error.issues[0]?.message ?? 'not a session' })
    return undefined
  }
  const said = parsed.data
  const id = said.id ?? basename(folder)
  if (!isId(id)) {
    problem({ file: folder, message: 'the folder has no session.json and its name cannot be a session id' })
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
      renamed: said.renamed ?? false,
      pinned: said.pinned ?? false,
      archived: said.archived ?? false,
      folderId: await findFolder(store, workspaceId, said.folder ?? []),
      trashedAt: said.trashedAt ?? null,
      model: said.model ?? null,
      agent: said.agent ?? null,
      mode: said.mode === 'plan' ? 'plan' : 'default',
      rules: said.rules?.filter((rule) => rule.effect !== 'allow') ?? [],
      ...(said.params !== undefined && { params: said.params }),
      createdAt,
      updatedAt: said.updatedAt ?? createdAt,
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
      problem({ file: path, message: 'the folder name cannot be an agent id' })
      continue
    }
    const messages = await readMessages(join(path, 'messages.jsonl'), entry.name, problem)
    const file = join(path, 'session.json')
    const parsed = agentSchema.safeParse(readJson(file, problem))
    if (!parsed.success) problem({ file, message: 'not the record of a sub-agent; its messages were taken' })
    agents.push({ ...(parsed.success && { record: { ...parsed.data, sessionId, agentId: entry.name } }), messages })
  }
  return agents
}

/** Files only: a link could lead anywhere. */
function readJson(file: string, problem: Report): unknown {
  const stats = lstatSync(file, { throwIfNoEntry: false })
  if (!stats?.isFile()) {
    problem({ file, message: stats ? 'not a plain file; it was not read' : 'missing' })
    return undefined
  }
  try {
    return JSON.parse(readFileSync(file, 'utf8')) as unknown
  } catch {
    problem({ file, message: 'not JSON' })
    return undefined
  }
}

/** The project at the same folder, where that lies inside the workspace. */
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
