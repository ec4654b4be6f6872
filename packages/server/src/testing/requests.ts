import type { PageCredential } from '@troupe/protocol'
import { expect } from 'vitest'
import type { RequestOptions, TestServer } from './test-server.ts'

export interface Operation {
  security: object[]
  parameters?: { name: string; in: 'path' | 'query' }[]
  requestBody?: { content: Record<string, object> }
}

export interface ListedRoute {
  method: string
  /** With `{name}` for parameters. */
  path: string
  operation: Operation
  open: boolean
  json: boolean
}

export interface Refusal {
  status: number
  name: string | undefined
  headers: Headers
}

export const json = { 'content-type': 'application/json' }

/** Lists every route from the server's OpenAPI reference, so new routes are tested automatically. */
export async function listRoutes(server: TestServer): Promise<ListedRoute[]> {
  const { body } = await server.json<{ paths: Record<string, Record<string, Operation>> }>('/ai/openapi.json')
  return Object.entries(body.paths).flatMap(([path, operations]) =>
    Object.entries(operations).map(([method, operation]) => ({
      method: method.toUpperCase(),
      path,
      operation,
      open: operation.security.length === 0,
      json: operation.requestBody?.content['application/json'] !== undefined,
    })),
  )
}

export function fill(path: string, value: string): string {
  return path.replaceAll(/\{\w+\}/g, encodeURIComponent(value.toWellFormed()))
}

/** Sends one request in process, so its headers can be anything. Errors must have the error format. */
export async function send(
  server: TestServer,
  method: string,
  target: string,
  { headers = {}, body }: RequestOptions = {},
): Promise<Refusal> {
  const host = `127.0.0.1:${server.port}`
  const response = await server.app.request(`http://${host}${target}`, {
    method,
    headers: { host, authorization: `Bearer ${server.token}`, ...headers },
    ...(body !== undefined && { body: body as string }),
  })
  const text = await response.text()
  const parsed = text.startsWith('{') ? (JSON.parse(text) as { error?: { name: string } }) : {}
  if (response.status >= 400 && method !== 'HEAD') {
    expect(Object.keys(parsed.error ?? {}), `${method} ${target} ${text}`).toEqual(['name', 'message', 'data'])
  }
  return { status: response.status, name: parsed.error?.name, headers: response.headers }
}

/** Sends the requests and checks that each is refused, nothing is written and nothing breaks. */
export async function refuseAll(
  server: TestServer,
  requests: (() => Promise<Refusal>)[],
  expected: (refusal: Refusal) => void = () => undefined,
): Promise<Refusal[]> {
  const refusals: Refusal[] = []
  // Stores the usage of earlier model calls, which is written a little later.
  await server.fetch('/ai/usage')
  // The folder of an earlier deleted session may be removed meanwhile, and then its row.
  const written = (): object => ({ ...server.written(), 'table deleted_session': undefined })
  const before = written()
  const lines = server.lines.length
  for (const request of requests) {
    const refusal = await request()
    expect(refusal.status).toBeGreaterThanOrEqual(400)
    expect(refusal.status).toBeLessThan(500)
    expected(refusal)
    refusals.push(refusal)
  }
  expect(requests.length).toBeGreaterThan(0)
  expect(written()).toEqual(before)
  expect(server.lines.slice(lines)).toEqual([])
  return refusals
}

export async function openPage(server: TestServer, publicKey?: string): Promise<PageCredential> {
  const key = new URL(server.newUrl()).hash.slice('#k='.length)
  const response = await askAuth(server, '/ai/auth', { key, publicKey })
  return (await response.json()) as PageCredential
}

export async function askAuth(server: TestServer, target: string, body: unknown): Promise<Response> {
  const host = `127.0.0.1:${server.port}`
  return server.app.request(`http://${host}${target}`, {
    method: 'POST',
    headers: { ...json, host, origin: `http://${host}` },
    body: JSON.stringify(body),
  })
}
