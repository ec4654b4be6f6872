import type { IncomingMessage } from 'node:http'
import type { HttpBindings } from '@hono/node-server'
import { idPattern, NamedError } from '@troupe/protocol'
import { Hono } from 'hono'
import type { z } from 'zod'
import { type JsonLimits, JsonProblem, parseJson } from '../util/json.ts'
import type { Logger } from '../util/logger.ts'
import { storageFault } from '../util/storage-fault.ts'
import type { Access } from './access.ts'
import { type RequestFacts, requestIdHeader, type RequestObserver, type RequestOutcome } from './observe.ts'
import { allRights, type Principal, type Rights } from './principal.ts'
import { type Ctx, type Route, type RouteInput, toResponse } from './route.ts'
import type { OpenWorkspace } from './scope.ts'

/** A request whose caller is known and whose input is valid. */
export interface CheckedRequest {
  principal: Principal
  route: Route
  params: Record<string, string>
  query: Record<string, string>
  body: unknown
}

/**
 * Throws unless the caller may make the request. Returns their other rights, and the workspace of a scoped endpoint
 * if the request names a chat.
 */
export type Authorize = (c: Ctx, request: CheckedRequest) => Promise<{ rights: Rights; workspaceId?: string }>

/** The local user may do everything. */
const allowAll: Authorize = () => Promise.resolve({ rights: allRights })

interface AppOptions {
  routes: readonly Route[]
  access: Access
  logger: Logger
  openWorkspace: OpenWorkspace
  /** Default: everyone who passed `access` may do everything. */
  authorize?: Authorize
  /** Sees every allowed request before its handler. */
  onAllowed?: (c: Ctx, request: CheckedRequest) => void
  /** More headers of every response. */
  headers?: Readonly<Record<string, string>>
  files?: (path: string) => Response | undefined
  /** In a cluster, answers requests that belong to another node, and knows callers that another node has checked. */
  cluster?: ClusterRoutes | undefined
  /** Sees what each handler returns. Tests compare it with the schema. */
  onAnswer?: (route: Route, value: unknown) => void
  observer?: RequestObserver | undefined
}

export interface ClusterRoutes {
  /** The caller of a request that another node sent here. */
  principalOf(c: Ctx): Principal | undefined
  /** Answers elsewhere. Undefined if this node must answer. */
  answerElsewhere(c: Ctx, route: Route, input: RouteInput): Promise<Response | undefined>
  /** A handler of this node failed. */
  onError(input: RouteInput, error: unknown): void
}

const maxMoves = 3
export type App = Hono<{ Bindings: Partial<HttpBindings> }>

export function createApp(options: AppOptions): App {
  const { routes, access, logger, openWorkspace, authorize = allowAll, files, cluster, onAnswer, observer } = options
  const headers = { ...securityHeaders, ...options.headers }
  const app: App = new Hono()

  app.use(async (c, next) => {
    await next()
    for (const [name, value] of Object.entries(headers)) if (!c.res.headers.has(name)) c.res.headers.set(name, value)
    if (!c.res.headers.has('cache-control')) c.res.headers.set('cache-control', 'no-store')
  })
  for (const route of routes)
    app.on(route.method, route.path, (c) => observed(c, route, (facts) => check(c, route, facts)))
  app.all('*', (c) => observed(c, undefined, (facts) => answerOther(c, facts)))
  app.onError((error, c) => {
    if (error instanceof NamedError) {
      return c.json({ error: { name: error.name, message: error.message, data: error.data } }, error.status as 400)
    }
    const { pathname } = new URL(c.req.url)
    logger({
      level: 'error',
      message: 'a request failed',
      method: c.req.method,
      path: pathname,
      error: error.stack ?? error.message,
      requestId: c.res.headers.get(requestIdHeader) ?? undefined,
    })
    const fault = storageFault(error)
    if (fault !== undefined) {
      return c.json({ error: { name: fault.name, message: fault.message, data: {} } }, fault.status as 507)
    }
    return c.json(
      {
        error: { name: 'Internal', message: 'Something went wrong on the server. See its log for details.', data: {} },
      },
      500,
    )
  })
  return app

  async function check(c: Ctx, route: Route, facts: Partial<RequestFacts>): Promise<Response> {
    const principal =
      cluster?.principalOf(c) ??
      (await access.check(c, {
        open: route.access.on === 'open',
        linkable: route.linkable === true,
        operator: route.operator === true,
      }))
    facts.principal = principal
    const params = (facts.params = readParams(c, route))
    const query = (facts.query = readQuery(c, route))
    const body = (facts.body = await parseBody(c, route))
    facts.isRefused = true
    const { rights, workspaceId } = await authorize(c, { principal, params, query, body, route })
    facts.isRefused = false
    options.onAllowed?.(c, { principal, params, query, body, route })
    const { requestId } = facts
    const input = { principal, params, query, body, rights, requestId, workspaceId: workspaceId ?? '' }
    if (cluster !== undefined) return answerInCluster(c, route, input, cluster, facts)
    return answer(c, route, input, facts)
  }

  async function answer(c: Ctx, route: Route, input: RouteInput, facts: Partial<RequestFacts>): Promise<Response> {
    const workspaceId = input.workspaceId || (await workspaceOf(c, route, input.body))
    facts.value = await route.handle(c, { ...input, workspaceId })
    onAnswer?.(route, facts.value)
    return toResponse(c, route, facts.value)
  }

  /** A chat may move to another node while a handler waits. Then that node answers. */
  async function answerInCluster(
    c: Ctx,
    route: Route,
    input: RouteInput,
    elsewhere: ClusterRoutes,
    facts: Partial<RequestFacts>,
  ): Promise<Response> {
    for (let left = maxMoves; ; left--) {
      try {
        const passed = await elsewhere.answerElsewhere(c, route, input)
        if (passed !== undefined) {
          facts.isElsewhere = true
          return passed
        }
        return await answer(c, route, input, facts)
      } catch (error) {
        elsewhere.onError(input, error)
        if (!isMoved(error) || left === 0) throw error
      }
    }
  }

  async function answerOther(c: Ctx, facts: Partial<RequestFacts>): Promise<Response> {
    const { pathname } = new URL(c.req.url)
    const ours = pathname === '/ai' || pathname.startsWith('/ai/')
    facts.principal = await access.check(c, { open: !ours, linkable: false })
    const reads = c.req.method === 'GET' || c.req.method === 'HEAD'
    const file = reads && !ours ? files?.(pathname) : undefined
    if (file !== undefined) return file
    const methods = routes.filter((route) => matches(route.path, pathname)).map((route) => route.method)
    if (methods.length === 0) throw new NamedError('NotFound', 'Not found.', { status: 404 })
    c.header('allow', methods.join(', '))
    throw new NamedError('MethodNotAllowed', `${c.req.method} is not allowed here.`, {
      status: 405,
      data: { allow: methods },
    })
  }

  async function observed(
    c: Ctx,
    route: Route | undefined,
    work: (facts: Partial<RequestFacts>) => Promise<Response>,
  ): Promise<Response> {
    if (observer === undefined) return work({})
    const facts: RequestFacts = { requestId: observer.begin(c), route }
    c.header(requestIdHeader, facts.requestId)
    c.env?.outgoing?.setHeader(requestIdHeader, facts.requestId)
    const begun = performance.now()
    const outcome = (status: number, error?: Error): RequestOutcome => ({
      ...facts,
      status,
      error,
      ms: performance.now() - begun,
    })
    let response: Response
    try {
      response = await work(facts)
    } catch (error) {
      const status = error instanceof NamedError ? error.status : (storageFault(error)?.status ?? 500)
      await observer.end(c, outcome(status, error as Error)).catch((failure: unknown) => {
        logger({ level: 'error', message: 'a request was not recorded', error: String(failure) })
      })
      throw error
    }
    await observer.end(c, outcome(response.status))
    return response
  }

  async function workspaceOf(c: Ctx, route: Route, given: unknown): Promise<string> {
    if (route.scoped !== true) return ''
    const { workspace } = Object(given) as { workspace?: unknown }
    return (await openWorkspace(c, c.req.query('workspace') ?? workspace)).id
  }
}

/** Another node has the chat now, or this one lost its place, which it regains within moments. */
function isMoved(error: unknown): boolean {
  if (!(error instanceof NamedError)) return false
  return error.name === 'NotHere' || (error.name === 'NodeLost' && error.data['hasWaited'] !== true)
}

function readParams(c: Ctx, route: Route): Record<string, string> {
  const found = c.req.param() as Record<string, string>
  for (const [name, value] of Object.entries(found)) {
    if (/^id$|Id$/.test(name) && !idPattern.test(value)) {
      const text = `"${value.slice(0, 80)}" is not a valid id. Use 1 to 64 letters, digits, "_" or "-".`
      throw new NamedError('BadId', text, { data: { parameter: name, path: route.path } })
    }
  }
  return found
}

function readQuery(c: Ctx, route: Route): Record<string, string> {
  const { access: _, ...found } = c.req.query()
  return route.query === undefined ? found : (checkSchema(route.query, found, 'query') as Record<string, string>)
}

async function parseBody(c: Ctx, route: Route): Promise<unknown> {
  if (route.body === undefined || route.body === 'upload') return undefined
  if (route.body === 'bytes') return readBody(c)
  const type = c.req.header('content-type') ?? ''
  if (!/^application\/json\s*(;|$)/i.test(type))
    throw new NamedError('NotJson', 'The body must be application/json.', { status: 415 })
  const bytes = await readBody(c, route.bodyLimit)
  const value = await readJson(bytes)
  // The client's copy of the branch may contain any tool output, and it is never used.
  const { messages: _, ...rest } = Object(value) as { messages?: unknown }
  refuseProtoKeys(rest, bytes)
  return checkSchema(route.body, value, 'body')
}

function checkSchema(schema: z.ZodType, value: unknown, what: string): unknown {
  const result = schema.safeParse(value)
  if (result.success) return result.data
  const issues = result.error.issues
    .slice(0, 5)
    .map((issue) => `${issue.path.map(String).join('.') || what}: ${issue.message}`)
    // It may quote keys of any length.
    .map((text) => (text.length > 500 ? `${text.slice(0, 500)}…` : text))
  throw new NamedError('BadRequest', `The ${what} is invalid. ${issues.join('; ')}.`, { data: { issues } })
}

function matches(pattern: string, path: string): boolean {
  const parts = pattern.split('/')
  const given = path.split('/')
  return (
    parts.length === given.length &&
    parts.every((part, i) => (part.startsWith(':') ? given[i] !== '' : part === given[i]))
  )
}

/** Blocks loading, running, framing and requesting anything external. */
const securityHeaders = {
  'content-security-policy': [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "img-src 'self' data: blob:",
    "media-src 'self' blob:",
    "font-src 'self'",
    "connect-src 'self'",
    "frame-src 'self'",
    "manifest-src 'self'",
    "worker-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; '),
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
} as const

export const bodyBytes = 32 * 1024 * 1024

/**
 * Reads the body up to the limit. On a socket, reads Node's own request: a web request and its streams would live as
 * long as the response, which may be a stream waiting for the user.
 */
async function readBody(c: Ctx, limit = bodyBytes): Promise<Buffer> {
  if (Number(c.req.header('content-length') ?? 0) > limit) throw bodyTooLarge(limit)
  const incoming = c.env?.incoming as IncomingMessage | undefined
  const bytes = incoming === undefined ? Buffer.from(await c.req.arrayBuffer()) : await collect(incoming, limit)
  if (bytes.length > limit) throw bodyTooLarge(limit)
  return bytes
}

function collect(incoming: IncomingMessage, limit: number): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = []
    let size = 0
    const onData = (chunk: Buffer): void => {
      size += chunk.length
      if (size <= limit) chunks.push(chunk)
      else done(() => reject(bodyTooLarge(limit)))
    }
    const onEnd = (): void => done(() => resolve(Buffer.concat(chunks)))
    const onClose = (): void => done(() => reject(new NamedError('BodyCut', 'The body ended too early.')))
    incoming.on('data', onData).on('end', onEnd).on('close', onClose)

    function done(settle: () => void): void {
      incoming.off('data', onData).off('end', onEnd).off('close', onClose)
      settle()
    }
  })
}

function bodyTooLarge(limit: number): NamedError {
  const most = limit < 1024 * 1024 ? `${limit} bytes` : `${limit / 1024 / 1024} MiB`
  return new NamedError('BodyTooLarge', `The body is too large. The limit is ${most}.`, { status: 413 })
}

/** Far more than any message needs, and far less than recursive parsers and validators can handle. */
const jsonLimits: JsonLimits = { depth: 1000, values: 500_000 }
const byteOrderMark = Buffer.from([0xef, 0xbb, 0xbf])

/**
 * Parses a JSON body. Counts depth and values first: a body of brackets alone would take seconds and a gigabyte to
 * parse, and could not be serialized.
 */
export async function readJson(bytes: Buffer): Promise<unknown> {
  const hasMark = bytes.subarray(0, 3).equals(byteOrderMark)
  try {
    return await parseJson(hasMark ? bytes.subarray(3) : bytes, jsonLimits)
  } catch (error) {
    if (!(error instanceof JsonProblem)) throw error
    if (error.kind === 'TooDeep')
      throw new NamedError('TooDeep', `The body is nested deeper than ${jsonLimits.depth} levels.`)
    if (error.kind === 'TooManyValues')
      throw new NamedError('TooManyValues', `The body has more than ${jsonLimits.values} values.`, { status: 413 })
    throw new NamedError('BadJson', `The body is not valid JSON: ${error.message}`)
  }
}

/**
 * Rejects `__proto__` keys, which some programs treat as an object's prototype. Scans only if the text may contain one.
 */
export function refuseProtoKeys(value: unknown, bytes: Buffer): void {
  if (!bytes.includes('__proto__') && !bytes.includes('\\u00')) return
  const waiting = [value]
  while (waiting.length > 0) {
    const next = waiting.pop()
    if (typeof next !== 'object' || next === null) continue
    if (Object.hasOwn(next, '__proto__')) throw new NamedError('BadRequest', 'The key "__proto__" is not allowed.')
    for (const child of Object.values(next)) waiting.push(child)
  }
}
