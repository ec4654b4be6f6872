import { NamedError, type Store, type Task } from '@troupe/core'
import { z } from 'zod'
import type { AgentStates } from '../agent-states.ts'
import { findSession } from '../find-session.ts'
import { route, type Route } from '../route.ts'

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
