import path from 'node:path'
import {
  type AgentState,
  createAgentState,
  createProcessPool,
  disposeAgentState,
  openUndoFolder,
  type Sandbox,
  type Session,
  type Store,
  type Task,
  type UndoJournal,
} from '@troupe/core'
import { NamedError, taskEndpoints, type TaskInfo } from '@troupe/protocol'
import { implement, type Route } from '../http/route.ts'
import { findSession } from '../http/scope.ts'
import type { IsolationOf } from '../isolation/owner-isolation.ts'

interface AgentStatesOptions {
  sandbox?: Sandbox | undefined
  /** Time in milliseconds to keep command resources warm for the next command. */
  idleMs?: number | undefined
  /** In team mode: the isolation of a session's owner. */
  isolationOf?: IsolationOf | undefined
}

export type OwnedSession = Pick<Session, 'id'> & Partial<Pick<Session, 'ownerId'>>

export interface AgentStates {
  /**
   * With an agent id, returns that sub-agent's state. A sub-agent has its own background commands but shares the
   * session's undo.
   */
  of(session: OwnedSession, workspace: { path: string; trusted?: boolean }, agentId?: string): AgentState
  /** The state of one of several compared answers. It begins as a copy of the session's, with no background commands. */
  column(session: OwnedSession, workspace: { path: string; trusted?: boolean }, messageId: string): AgentState
  /** The session continues where this column is. Background commands of the other columns end. */
  pick(sessionId: string, column: string, others: readonly string[]): Promise<void>
  tasks(sessionId: string): Task[]
  /** False if a new state would differ: by background commands, the working folder, variables or resources. */
  canLeave(sessionId: string): boolean
  /** Drops the state, but not the undo data. */
  leave(sessionId: string): Promise<void>
  /** The undo journal, shared by all sessions. */
  readonly undo: UndoJournal
  /** A person changed these files, so agents must read them again. */
  forgetReads(files: readonly string[]): void
  dropAgent(sessionId: string, agentId: string): Promise<void>
  /** Ends the session's background commands and drops its state, including the undo data. */
  drop(sessionId: string): Promise<void>
  close(): Promise<void>
}

export function createAgentStates(home: string, options: AgentStatesOptions = {}): AgentStates {
  const { sandbox, idleMs, isolationOf } = options
  const states = new Map<string, AgentState>()
  const places = new Map<string, string>()
  const undo = openUndoFolder(path.join(home, 'undo'), isolationOf === undefined ? {} : { modes: 0o777 })
  const pool = createProcessPool(idleMs === undefined ? {} : { idleMs })

  const all: AgentStates = {
    of(session, workspace, agentId) {
      const key = stateKey(session.id, agentId)
      const known = states.get(key)
      // The id comes from a request. It must not give access to another person's commands, or run them as another user.
      if (known?.isolation !== undefined && known.isolation.person !== session.ownerId)
        throw new NamedError('SessionNotFound', 'This chat does not exist.', { status: 404 })
      if (known !== undefined && places.get(key) === workspace.path) {
        if (workspace.trusted !== undefined) known.readsNotes = workspace.trusted
        return known
      }
      // The id was used in another workspace. Dispose that state so this one cannot reach it.
      if (known !== undefined) disposeAgentState(known).catch(() => undefined)
      const outputFolder = path.join(home, 'sessions', session.id, 'output')
      const state = createAgentState({
        workspace: workspace.path,
        outputFolder,
        jsxFolder: path.join(home, 'sessions', session.id, 'jsx'),
        undo,
        pool,
        sandbox,
        isolation: isolationOf?.(session, workspace.path),
      })
      if (workspace.trusted !== undefined) state.readsNotes = workspace.trusted
      // The system prompt already contains the workspace's own notes.
      for (const root of state.roots) state.shownNotes.add(root)
      states.set(key, state)
      places.set(key, workspace.path)
      return state
    },
    column(session, workspace, messageId) {
      const known = states.get(stateKey(session.id, messageId))
      const state = all.of(session, workspace, messageId)
      const from = states.get(session.id)
      if (known !== state && from !== undefined) copyPlace(from, state)
      return state
    },
    async pick(sessionId, column, others) {
      const from = states.get(stateKey(sessionId, column))
      const to = states.get(sessionId)
      if (from !== undefined && to !== undefined) copyPlace(from, to)
      else if (from !== undefined) move(stateKey(sessionId, column), sessionId)
      await Promise.all(others.map((other) => dropState(stateKey(sessionId, other))))
    },
    tasks: (sessionId) => keysOf(sessionId).flatMap((key) => states.get(key)?.tasks.list() ?? []),
    canLeave: (sessionId) => keysOf(sessionId).every((key) => isFresh(states.get(key)!)),
    async leave(sessionId) {
      await Promise.all(keysOf(sessionId).map(dropState))
    },
    undo,
    forgetReads(files) {
      for (const state of states.values()) for (const file of files) state.reads.delete(file)
    },
    dropAgent: (sessionId, agentId) => dropState(stateKey(sessionId, agentId)),
    async drop(sessionId) {
      await Promise.all(keysOf(sessionId).map(dropState))
      await undo.forget(sessionId)
    },
    async close() {
      await Promise.all([...states.keys()].map(dropState))
      pool.close()
    },
  }
  return all

  function keysOf(sessionId: string): string[] {
    return [...states.keys()].filter((key) => key === sessionId || key.startsWith(`${sessionId}/`))
  }

  function move(from: string, to: string): void {
    states.set(to, states.get(from)!)
    places.set(to, places.get(from)!)
    states.delete(from)
    places.delete(from)
  }

  async function dropState(key: string): Promise<void> {
    const state = states.get(key)
    states.delete(key)
    places.delete(key)
    if (state !== undefined) await disposeAgentState(state)
  }
}

function isFresh({ cwd, roots, env, sandboxEnv = {}, resources, tasks }: AgentState): boolean {
  const isIdle = tasks.list().every(({ status }) => status !== 'running')
  return isIdle && cwd === roots[0] && resources.size + Object.keys({ ...env, ...sandboxEnv }).length === 0
}

/** Copies the working folder, the environment and the files seen. Both states are of one workspace. */
function copyPlace(from: AgentState, to: AgentState): void {
  to.cwd = from.cwd
  to.env = { ...from.env }
  to.sandboxEnv = from.sandboxEnv && { ...from.sandboxEnv }
  for (const [file, stamp] of from.reads) to.reads.set(file, stamp)
  for (const note of from.shownNotes) to.shownNotes.add(note)
  for (const folder of from.readable) if (!to.readable.includes(folder)) to.readable.push(folder)
}

function stateKey(sessionId: string, agentId?: string): string {
  return agentId === undefined ? sessionId : `${sessionId}/${agentId}`
}

const maxOutputCharacters = 400_000
const maxWaitMs = 20_000

export function taskRoutes({ store, states }: { store: Store; states: Pick<AgentStates, 'tasks'> }): Route[] {
  return implement(taskEndpoints, {
    'GET /ai/sessions/:id/tasks': async ({ params, workspaceId }) => {
      const session = await findSession(store, params.id, workspaceId)
      return { tasks: states.tasks(session.id).map(taskInfo) }
    },
    'GET /ai/sessions/:id/tasks/:taskId': async ({ params, query: { from: given = 0, wait = 0 }, workspaceId }, c) => {
      const session = await findSession(store, params.id, workspaceId)
      const task = find(session.id, params.taskId)
      const from = Number(given)
      const ms = Math.min(Number(wait), maxWaitMs)
      if (ms > 0 && task.status === 'running') await task.settled({ ms, quietMs: 60, from, signal: c.req.raw.signal })
      const { text, next, lost } = task.read(from)
      const left = Math.max(0, text.length - maxOutputCharacters)
      return { task: taskInfo(task), text: text.slice(left), next, lost: lost + left }
    },
    'POST /ai/sessions/:id/tasks/:taskId/stop': async ({ params, workspaceId }) => {
      const session = await findSession(store, params.id, workspaceId)
      const task = find(session.id, params.taskId)
      await task.stop()
      await task.ended
      return { task: taskInfo(task) }
    },
  })

  function find(sessionId: string, taskId: string): Task {
    const task = states.tasks(sessionId).find(({ id }) => id === taskId)
    if (task !== undefined) return task
    throw new NamedError(
      'TaskNotFound',
      'This command does not exist. Background commands end when the server stops.',
      { status: 404 },
    )
  }
}

export function taskInfo({ id, kind, command, status, exitCode, startedAt, endedAt }: Task): TaskInfo {
  return { id, kind, command, status, exitCode, startedAt, endedAt: endedAt ?? null }
}
