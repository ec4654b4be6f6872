import { Hono } from 'hono'
import { bodyLimit } from 'hono/body-limit'
import { idPattern, NamedError } from '@troupe/core'
import type { z } from 'zod'
import type { Access } from './access.ts'
import type { Logger } from './logger.ts'
import type { Ctx, Route } from './route.ts'
import { securityHeaders } from './security-headers.ts'

export const bodyBytes = 32 * 1024 * 1024

/** The HTTP face: who may speak, what a body may be, and one place where errors become answers. */
export function createApp(options: { routes: readonly Route[]; access: Access; logger: Logger; files?(path: string): Response | undefined }): Hono<{ Bindings: Partial<import('@hono/node-server').HttpBindings> }> {
  const { routes, access, logger } = options
  const app = new Hono<{ Bindings: Partial<import('@hono/node-server').HttpBindings> }>()
  const limit = bodyLimit({
    maxSize: bodyBytes,
    onError: () => {
      throw new NamedError('BodyTooLarge', `A body holds at most ${bodyBytes / 1024 / 1024} MiB.`, { status: 413 })
    },
  })

  app.use(async (c, next) => {
    await next()
    for (const [name, value] of Object.entries(securityHeaders)) c.res.headers.set(name, value)
  })
  for (const route of routes) {
    app.on(route.method, route.path, async (c, next) => {
      access.check(c, { open: route.open === true })
      await next()
    })
    if (route.body !== undefined) app.on(route.method, route.path, limit)
    app.on(route.method, route.path, async (c) => route.handle(c, { params: params(c, route), query: query(c, route), body: await body(c, route) }))
  }
  app.all('*', (c) => {
    access.check(c, { open: true })
    const { pathname } = new URL(c.req.url)
    const file = c.req.method === 'GET' && !pathname.startsWith('/ai/') ? options.files?.(pathname) : undefined
    if (file !== undefined) return file
    const known = routes.some((route) => matches(route.path, pathname))
    if (known) throw new NamedError('MethodNotAllowed', `${c.req.method} is not possible here.`, { status: 405 })
    throw new NamedError('NotFound', 'There is nothing at this address.', { status: 404 })
  })
  app.onError((error, c) => {
    if (error instanceof NamedError) return c.json({ error: { name: error.name, message: error.message, data: error.data } }, error.status as 400)
    logger({ level: 'error', message: 'a request failed', method: c.req.method, path: new URL(c.req.url).pathname, error: error.stack ?? error.message })
    return c.json({ error: { name: 'Internal', message: 'Something went wrong on the server; its log says what.', data: {} } }, 500)
  })
  return app
}

function params(c: Ctx, route: Route): Record<string, string> {
  const found = c.req.param() as Record<string, string>
  for (const [name, value] of Object.entries(found)) {
    if (/^id$|Id$/.test(name) && !idPattern.test(value)) {
      throw new NamedError('BadId', `"${value.slice(0, 80)}" is not an id: 1 to 64 letters, digits, "_" or "-".`, { data: { parameter: name, path: route.path } })
    }
  }
  return found
}

function query(c: Ctx, route: Route): Record<string, string> {
  const found = c.req.query()
  return route.query === undefined ? found : (check(route.query, found, 'query') as Record<string, string>)
}

async function body(c: Ctx, route: Route): Promise<unknown> {
  if (route.body === undefined || route.body === 'bytes') return undefined
  const type = c.req.header('content-type') ?? ''
  if (!/^application\/json\s*(;|$)/i.test(type)) throw new NamedError('NotJson', 'The body must be application/json.', { status: 415 })
  let value: unknown
  try {
    value = await c.req.json()
  } catch (error) {
    if (error instanceof NamedError) throw error
    throw new NamedError('BadJson', `The body is not valid JSON: ${(error as Error).message}`)
  }
  return check(route.body, value, 'body')
}

function check(schema: z.ZodType, value: unknown, what: string): unknown {
  const result = schema.safeParse(value)
  if (result.success) return result.data
  const issues = result.error.issues.slice(0, 5).map((issue) => `${issue.path.map(String).join('.') || what}: ${issue.message}`)
  throw new NamedError('BadRequest', `The ${what} is not valid. ${issues.join('; ')}.`, { data: { issues } })
}

function matches(pattern: string, path: string): boolean {
  const parts = pattern.split('/')
  const given = path.split('/')
  return parts.length === given.length && parts.every((part, i) => part.startsWith(':') || part === given[i])
}
