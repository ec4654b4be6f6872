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
} from '@troupe/core'
import { NamedError } from '@troupe/protocol'
import { z } from 'zod'
import { route, type Route } from '../http/route.ts'
import { findSession } from '../http/scope.ts'

interface AgentStatesOptions {
  sandbox?: Sandbox | undefined
  /** How long what commands need stays ready for the next one. */
  idleMs?: number | undefined
}

/** What the agents of each session remember while this process lives. */
export interface AgentStates {
  /** With an agent id: what that sub-agent remembers. Its background commands are its own, undo is the session's. */
  of(session: Pick<Session, 'id'>, workspace: { path: string; trusted?: boolean }, agentId?: string): AgentState
  /** Commands in the background, of the session and of its sub-agents. */
  tasks(sessionId: string): Task[]
  dropAgent(sessionId: string, agentId: string): Promise<void>
  /** Ends the background commands of a session and forgets it, with what an undo would have needed. */
  drop(sessionId: string): Promise<void>
  close(): Promise<void>
}

export function createAgentStates(home: string, { sandbox, idleMs }: AgentStatesOptions = {}): AgentStates {
  const states = new Map<string, AgentState>()
  const places = new Map<string, string>()
  const undo = openUndoFolder(path.join(home, 'undo'))
  const pool = createProcessPool(idleMs === undefined ? {} : { idleMs })

  return {
    of(session, workspace, agentId) {
      const key = stateKey(session.id, agentId)
      const known = states.get(key)
      if (known !== undefined && places.get(key) === workspace.path) {
        if (workspace.trusted !== undefined) known.readsNotes = workspace.trusted
        return known
      }
      // Somebody used the id elsewhere: what could be reached from there is not reached from here.
      if (known !== undefined) disposeAgentState(known).catch(() => undefined)
      const outputFolder = path.join(home, 'sessions', session.id, 'output')
      const state = createAgentState({
        workspace: workspace.path,
        outputFolder,
        jsxFolder: path.join(home, 'sessions', session.id, 'jsx'),
        undo,
        pool,
        sandbox,
      })
      if (workspace.trusted !== undefined) state.readsNotes = workspace.trusted
      // Those of the workspace itself are in the preface.
      for (const root of state.roots) state.shownNotes.add(root)
      states.set(key, state)
      places.set(key, workspace.path)
      return state
    },
    tasks: (sessionId) => keysOf(sessionId).flatMap((key) => states.get(key)?.tasks.list() ?? []),
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

  function keysOf(sessionId: string): string[] {
    return [...states.keys()].filter((key) => key === sessionId || key.startsWith(`${sessionId}/`))
  }

  async function dropState(key: string): Promise<void> {
    const state = states.get(key)
    states.delete(key)
    places.delete(key)
    if (state !== undefined) await disposeAgentState(state)
  }
}

function stateKey(sessionId: string, agentId?: string): string {
  return agentId === undefined ? sessionId : `${sessionId}/${agentId}`
}

const maxOutputCharacters = 400_000
const maxWaitMs = 20_000

/** Commands that a session has running in the background, for people to look at and to stop. */
export function taskRoutes({ store, states }: { store: Store; states: Pick<AgentStates, 'tasks'> }): Route[] {
  return [
    route({
      method: 'GET',
      path: '/ai/sessions/:id/tasks',
      summary: 'Background commands and terminals of a session and its agents, those that have ended included.',
      scoped: true,
      answers: { 200: '{tasks: [{id, kind, command, status, exitCode, startedAt, endedAt}]}', 404: 'SessionNotFound' },
      async handle(c, { params, workspaceId }) {
        const session = await findSession(store, params['id'], workspaceId)
        return c.json({ tasks: states.tasks(session.id).map(taskFacts) })
      },
    }),
    route({
      method: 'GET',
      path: '/ai/sessions/:id/tasks/:taskId',
      summary: 'What a background command has printed after ?from; ?wait holds on for news, at most 20 s.',
      query: z.object({
        from: z
          .string()
          .regex(/^\d{1,15}$/)
          .optional(),
        wait: z
          .string()
          .regex(/^\d{1,6}$/)
          .optional(),
      }),
      scoped: true,
      answers: { 200: '{task, text, next, lost}', 404: 'SessionNotFound, TaskNotFound' },
      async handle(c, { params, query, workspaceId }) {
        const session = await findSession(store, params['id'], workspaceId)
        const task = find(session.id, params['taskId'])
        const from = Number(query['from'] ?? 0)
        const ms = Math.min(Number(query['wait'] ?? 0), maxWaitMs)
        if (ms > 0 && task.status === 'running') await task.settled({ ms, quietMs: 60, from, signal: c.req.raw.signal })
        const { text, next, lost } = task.read(from)
        const left = Math.max(0, text.length - maxOutputCharacters)
        return c.json({ task: taskFacts(task), text: text.slice(left), next, lost: lost + left })
      },
    }),
    route({
      method: 'POST',
      path: '/ai/sessions/:id/tasks/:taskId/stop',
      summary: 'Ends a background command and everything that it started.',
      scoped: true,
      answers: { 200: '{task}', 404: 'SessionNotFound, TaskNotFound' },
      async handle(c, { params, workspaceId }) {
        const session = await findSession(store, params['id'], workspaceId)
        const task = find(session.id, params['taskId'])
        await task.stop()
        await task.ended
        return c.json({ task: taskFacts(task) })
      },
    }),
  ]

  function find(sessionId: string, taskId: string | undefined): Task {
    const task = states.tasks(sessionId).find(({ id }) => id === taskId)
    if (task !== undefined) return task
    throw new NamedError('TaskNotFound', 'There is no such command. None outlives the server.', { status: 404 })
  }
}

function taskFacts({ id, kind, command, status, exitCode, startedAt, endedAt }: Task) {
  return { id, kind, command, status, exitCode, startedAt, endedAt: endedAt ?? null }
}
