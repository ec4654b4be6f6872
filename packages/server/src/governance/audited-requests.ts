import type { Answered, BodyOf, Contract, Method, ParamsOf } from '@troupe/protocol'
import type { RequestFacts } from '../http/observe.ts'
import type { AuditRecord } from './audit.ts'

interface Given<Key extends keyof Contract> {
  params: ParamsOf<Key>
  body: BodyOf<Contract[Key]>
  /** Undefined if the request failed. */
  value: Answered<Key> | undefined
}

type Described<Key extends keyof Contract> =
  | string
  /** Routine, not recorded unless it is denied. */
  | null
  | {
      action: string
      target?: (given: Given<Key>) => AuditRecord['target']
      /** Names and choices only, never content. */
      detail?: (given: Given<Key>) => Record<string, unknown>
      /** A person that the entry must not name, because the request deleted them. */
      forgets?: (given: Given<Key>) => string
    }

/**
 * Audit entries of requests. Requests that change something and are not listed here are recorded by their
 * method and path, so a new endpoint cannot be forgotten. Of the body, it keeps only the names of fields.
 */
const described: { [Key in keyof Contract]?: Described<Key> } = {
  'POST /ai/asks/:id': {
    action: 'approval.answer',
    target: ({ params, value }) => ({ type: 'session', id: value?.ask.sessionId ?? params.id }),
    detail: ({ params, body: { answer }, value }) => ({
      ask: params.id,
      tool: value?.ask.toolName,
      run: value?.ask.runId,
      call: value?.ask.toolCallId,
      answer: answer.type,
      edited: answer.type === 'approve' && (answer.input !== undefined || answer.hunks !== undefined),
      remember: answer.type === 'approve' ? answer.remember : undefined,
      rules: answer.type === 'approve' && answer.remember !== undefined ? value?.ask.remember : undefined,
      settled: value?.settled,
    }),
  },
  'POST /ai/chat': {
    action: 'run.start',
    target: ({ body }) => ({ type: 'session', id: body.sessionId ?? body.id ?? '' }),
    detail: ({ body: { model, agent, mode, trigger } }) => ({ model, agent, mode, trigger }),
  },
  'POST /ai/chat/:sessionId/stop': 'run.stop',
  'POST /ai/chat/:sessionId/steer': 'run.steer',
  'POST /ai/rules': {
    action: 'rule.create',
    detail: ({ body: { text, effect, scope, sessionId } }) => ({ rule: text, effect, scope, sessionId }),
  },
  'PATCH /ai/rules/:id': { action: 'rule.change', detail: ({ body }) => ({ ...body }) },
  'DELETE /ai/rules/:id': 'rule.delete',
  'PATCH /ai/sessions/:id': {
    action: 'session.change',
    detail: ({ body: { mode, archived, trashed, ...rest } }) => ({
      mode,
      archived,
      trashed,
      changed: Object.keys(rest),
    }),
  },
  'GET /ai/sessions/:id/export': 'session.export',
  'POST /ai/sessions/import': 'session.import',
  'GET /ai/files/download': 'file.download',
  'GET /ai/audit/export': 'audit.export',
  'GET /ai/usage/export': 'usage.export',
  'PATCH /ai/policy': {
    action: 'policy.change',
    detail: ({ body, value }) => ({ policy: body.policy, version: value?.version }),
  },
  'POST /ai/policy/preview': null,
  'PATCH /ai/limits': { action: 'limits.change', detail: ({ body }) => ({ limits: body.limits }) },
  'POST /ai/secrets/rotate': { action: 'secrets.rotate', detail: ({ value }) => ({ ...value }) },
  'POST /ai/me/keys': { action: 'key.set', detail: ({ body }) => ({ provider: body.provider }) },
  'DELETE /ai/me/keys/:provider': 'key.delete',
  'GET /ai/people/:id/data': 'person.export',
  'DELETE /ai/people/:id/data': {
    action: 'person.erase',
    target: ({ value }) => ({ type: 'deleted-person', id: value?.alias ?? '' }),
    detail: ({ value }) => ({ chats: value?.chats, blobs: value?.blobs }),
    forgets: ({ params }) => params.id,
  },
  'POST /ai/data/backup': 'data.backup',
  'GET /ai/mcp/callback': 'mcp.login',
  'POST /ai/auth': 'session.sign-in',
  'POST /ai/auth/challenge': null,
  'POST /ai/tabs': null,
  'POST /ai/sessions/:id/presence': null,
  'POST /ai/mentions/seen': null,
  // Programs ask again until a person has confirmed the code, which is recorded.
  'POST /ai/device/token': null,
  'POST /ai/account/passkey-options': null,
  'POST /ai/account/invitation': null,
  'POST /ai/tools/ack': null,
  'POST /ai/files/events/:id': null,
  'POST /ai/git/diff': null,
  'POST /ai/git/message': null,
  'POST /ai/language-servers/problems': null,
  'POST /ai/rules/explain': null,
  'POST /ai/rules/test': null,
  'POST /ai/reader': null,
  'POST /ai/print': null,
  'POST /ai/terminals/ticket': null,
  'POST /ai/blobs': null,
  'POST /ai/mcp/:name/prompts/:prompt': null,
  'DELETE /ai/sessions/:id/messages/:messageId/feedback': null,
  'POST /ai/sessions/:id/pick': null,
  'POST /ai/speech': null,
  'POST /ai/transcribe': null,
}

const verbs: Record<Method, string> = { GET: 'read', POST: 'create', PUT: 'set', PATCH: 'change', DELETE: 'delete' }

/** The entry for a request, without the caller. Undefined if it is not recorded. */
export function describeRequest(
  facts: Pick<RequestFacts, 'route' | 'params' | 'body' | 'value'>,
  isDenied: boolean,
): (Pick<AuditRecord, 'action' | 'target' | 'detail'> & { forgets?: string | undefined }) | undefined {
  const { route, params = {}, body, value } = facts
  if (route === undefined) return isDenied ? { action: 'page.read' } : undefined
  const key = `${route.method} ${route.path}` as keyof Contract
  const known = described[key] as Described<keyof Contract> | undefined
  const isRoutine = known === null || (known === undefined && route.method === 'GET')
  if (isRoutine && !isDenied) return undefined
  const { action, target, detail, forgets } =
    typeof known === 'object' && known !== null ? known : named(known ?? derivedAction(route.method, route.path))
  // The handler may have failed before the body was read.
  const given = { params, body: body ?? {}, value: Object(value) === value ? value : undefined } as never
  return {
    action,
    target: quietly(() => target?.(given)) ?? targetOf(route.path, params, body),
    detail: quietly(() => detail?.(given)) ?? changedFields(route.method, body),
    forgets: forgets?.(given),
  }
}

function named(action: string): Exclude<Described<keyof Contract>, string | null> {
  return { action }
}

/** `POST /ai/worktrees/:id/merge` becomes `worktrees.merge`. */
function derivedAction(method: Method, path: string): string {
  const [noun = 'server', ...rest] = path.split('/').filter((part) => part !== '' && part !== 'ai')
  const last = rest.findLast((part) => !part.startsWith(':'))
  return `${noun}.${last === undefined ? verbs[method] : method === 'POST' ? last : `${last}-${verbs[method]}`}`
}

/** The object of the last id in the path, or the session in the body. */
function targetOf(path: string, params: Record<string, string>, body: unknown): AuditRecord['target'] {
  const parts = path.split('/')
  const place = parts.findLastIndex((part) => part.startsWith(':'))
  if (place === -1) {
    const { sessionId } = Object(body) as { sessionId?: unknown }
    return typeof sessionId === 'string' ? { type: 'session', id: sessionId } : undefined
  }
  const noun = parts[place - 1] === 'chat' ? 'session' : (parts[place - 1] ?? '').replace(/s$/, '')
  const type = noun === 'member' || parts[place - 1] === 'people' ? 'person' : noun
  return { type, id: params[(parts[place] ?? '').slice(1)] ?? '' }
}

function changedFields(method: Method, body: unknown): Record<string, unknown> {
  if (method === 'GET' || typeof body !== 'object' || body === null || body instanceof Uint8Array) return {}
  return { fields: Object.keys(body) }
}

/** Bodies that failed validation have any shape. */
function quietly<T>(read: () => T): T | undefined {
  try {
    return read()
  } catch {
    return undefined
  }
}
