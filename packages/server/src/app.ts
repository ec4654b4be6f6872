import { Hono } from 'hono'
import type { HttpBindings } from '@hono/node-server'
import { idPattern, NamedError } from '@troupe/core'
import type { z } from 'zod'
import type { Access } from './access.ts'
import type { Logger } from './logger.ts'
import { readBody } from './read-body.ts'
import { readJson, refuseProtoKeys } from './read-json.ts'
import type { OpenWorkspace } from './open-workspace.ts'
import type { Ctx, Route } from './route.ts'
import { securityHeaders } from './security-headers.ts'
import { storageFault } from './storage-fault.ts'

export interface AppOptions {
  routes: readonly Route[]
  access: Access
  logger: Logger
  openWorkspace: OpenWorkspace
  /** The page's own files. */
  files?: (path: string) => Response | undefined
}

export type App = Hono<{ Bindings: Partial<HttpBindings> }>

/** The HTTP face: who may speak, what a body may be, and one place where errors become answers. */
export function createApp({ routes, access, logger, openWorkspace, files }: AppOptions): App {
  const app: App = new Hono()

  app.use(async (c, next) => {
    await next()
    for (const [name, value] of Object.entries(securityHeaders))
      if (!c.res.headers.has(name)) c.res.headers.set(name, value)
    if (!c.res.headers.has('cache-control')) c.res.headers.set('cache-control', 'no-store')
  })
  for (const route of routes) {
    app.on(route.method, route.path, async (c, next) => {
      access.check(c, { open: route.open === true, linkable: route.linkable === true })
      await next()
    })
    app.on(route.method, route.path, async (c) => {
      const input = { params: readParams(c, route), query: readQuery(c, route), body: await parseBody(c, route) }
      return route.handle(c, { ...input, workspaceId: await workspaceId(c, route, input.body) })
    })
  }
  app.all('*', (c) => {
    const { pathname } = new URL(c.req.url)
    const ours = pathname === '/ai' || pathname.startsWith('/ai/')
    access.check(c, { open: !ours, linkable: false })
    const reads = c.req.method === 'GET' || c.req.method === 'HEAD'
    const file = reads && !ours ? files?.(pathname) : undefined
    if (file !== undefined) return file
    const methods = routes.filter((route) => matches(route.path, pathname)).map((route) => route.method)
    if (methods.length === 0) throw new NamedError('NotFound', 'There is nothing at this address.', { status: 404 })
    c.header('allow', methods.join(', '))
    throw new NamedError('MethodNotAllowed', `${c.req.method} is not possible here.`, {
      status: 405,
      data: { allow: methods },
    })
  })
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
    })
    const fault = storageFault(error)
    if (fault !== undefined) {
      return c.json({ error: { name: fault.name, message: fault.message, data: {} } }, fault.status as 507)
    }
    return c.json(
      { error: { name: 'Internal', message: 'Something went wrong on the server; its log says what.', data: {} } },
      500,
    )
  })
  return app

  async function workspaceId(c: Ctx, route: Route, given: unknown): Promise<string> {
    if (route.scoped !== true) return ''
    const { workspace } = Object(given) as { workspace?: unknown }
    return (await openWorkspace(c, c.req.query('workspace') ?? workspace)).id
  }
}

function readParams(c: Ctx, route: Route): Record<string, string> {
  const found = c.req.param() as Record<string, string>
  for (const [name, value] of Object.entries(found)) {
    if (/^id$|Id$/.test(name) && !idPattern.test(value)) {
      const text = `"${value.slice(0, 80)}" is not an id: 1 to 64 letters, digits, "_" or "-".`
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
  // A client's copy of the branch holds whatever tools returned; nothing is made of it.
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
  throw new NamedError('BadRequest', `The ${what} is not valid. ${issues.join('; ')}.`, { data: { issues } })
}

function matches(pattern: string, path: string): boolean {
  const parts = pattern.split('/')
  const given = path.split('/')
  return (
    parts.length === given.length &&
    parts.every((part, i) => (part.startsWith(':') ? given[i] !== '' : part === given[i]))
  )
}
