import type { Ask } from '@troupe/core'
import { createApi, type ListedSession } from '../api/api.ts'
import { createRequest } from '../api/request.ts'
import { createAppStore } from '../workspace/app-store.ts'

type Handler = (body: unknown, query: URLSearchParams) => unknown

/** Opens the app store against responses by `METHOD /path`. A response may be a promise. Anything else returns 404. */
export function openApp(answers: Record<string, Handler>, sessionId: string | null = null) {
  const requests: string[] = []
  const errors: unknown[] = []
  const broadcasts: string[] = []
  const values = new Map<string, string>()
  const fetch = async (path: string, init: RequestInit): Promise<Response> => {
    const name = `${init.method} ${path.split('?')[0]}`
    requests.push(name)
    const answer = answers[name] ?? (name === 'GET /ai/folders' ? () => ({ folders: [] }) : undefined)
    const body: unknown = typeof init.body === 'string' ? JSON.parse(init.body) : (init.body ?? undefined)
    const given = answer === undefined ? notFound : await answer(body, new URLSearchParams(path.split('?')[1]))
    return given instanceof Response ? given.clone() : Response.json(given)
  }
  const api = createApi(createRequest(fetch as typeof globalThis.fetch, () => undefined))
  const app = createAppStore(sessionId, {
    api,
    exchangeKey: () => Promise.resolve(),
    storage: { get: (key) => values.get(key) ?? null, set: (key, value) => void values.set(key, value ?? '') },
    screen: { isNarrow: () => false, onChange: () => undefined },
    onError: (error) => errors.push(error),
    onSession: (changed, what) => broadcasts.push(`${what} ${changed}`),
  })
  return { app, api, requests, errors, broadcasts }
}

const notFound = Response.json({ error: { name: 'NotFound', message: 'Not here.' } }, { status: 404 })

export function listed(id: string, fields: Partial<ListedSession> = {}): ListedSession {
  return {
    id,
    workspaceId: 'w',
    projectId: null,
    title: id,
    renamed: false,
    pinned: false,
    archived: false,
    folderId: null,
    trashedAt: null,
    model: null,
    agent: null,
    mode: 'default',
    rules: [],
    ownerId: null,
    visibility: 'private',
    messageCount: 1,
    createdAt: 1,
    updatedAt: 1,
    run: null,
    ...fields,
  }
}

export function ask(id: string, fields: Partial<Ask> = {}): Ask {
  return {
    id,
    kind: 'approval',
    sessionId: 's1',
    runId: 'r1',
    agentPath: [],
    toolCallId: `call-${id}`,
    toolName: 'Bash',
    input: { command: 'ls' },
    title: 'Run a command',
    content: undefined,
    reason: 'It writes.',
    rule: null,
    createdAt: 1,
    closedAt: null,
    answer: null,
    ...fields,
  }
}
