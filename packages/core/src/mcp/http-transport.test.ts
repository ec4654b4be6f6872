import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text as readText } from 'node:stream/consumers'
import { afterEach, expect, test } from 'vitest'
import { testToolContext } from '../testing/index.ts'
import { unwrapResult } from '../tool/tool.ts'
import { createTransport } from './create-transport.ts'
import { createMcpServer, type McpServer } from './mcp-server.ts'
import type { McpLimits } from './server-config.ts'

const open: { close(): unknown }[] = []
afterEach(async () => {
  for (const one of open.splice(0).toReversed()) await one.close()
})

type Message = { id?: number; method?: string; params?: { name?: string; arguments?: { text: string } } }
interface Seen {
  headers: IncomingMessage['headers']
  method: string | undefined
}

/** Starts a server that answers each message with JSON, or with the handler in `odd` for its method. */
async function serve(
  odd: Record<string, (response: ServerResponse, message: Message) => void> = {},
): Promise<{ url: string; seen: Seen[] }> {
  const seen: Seen[] = []
  const usual: Record<string, (message: Message) => unknown> = {
    initialize: () => ({
      protocolVersion: '2025-06-18',
      capabilities: { tools: {} },
      serverInfo: { name: 'far', version: '1' },
    }),
    'tools/list': () => ({ tools: [{ name: 'echo', inputSchema: { type: 'object' } }] }),
    'tools/call': ({ params }) => ({ content: [{ type: 'text', text: params?.arguments?.text }] }),
  }
  const server: Server = createServer((request, response) => void answer(request, response))
  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    if (request.method !== 'POST') return void response.writeHead(405).end()
    const message = JSON.parse(await readText(request)) as Message
    seen.push({ headers: request.headers, method: message.method })
    const special = odd[message.method ?? '']
    if (special !== undefined) return special(response, message)
    if (message.id === undefined) return void response.writeHead(202).end()
    response.writeHead(200, { 'content-type': 'application/json' })
    response.end(JSON.stringify({ jsonrpc: '2.0', id: message.id, result: usual[message.method ?? '']?.(message) }))
  }
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  open.push({
    close() {
      server.closeAllConnections()
      return new Promise((resolve) => server.close(resolve))
    },
  })
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`, seen }
}

async function connect(url: string, limits: Partial<McpLimits> = {}): Promise<McpServer> {
  let known: string | undefined
  const server = createMcpServer({
    name: 'far',
    limits,
    backoffMs: 60_000,
    trusted: { get: () => known, set: (next) => void (known = next) },
    transport: (onText) =>
      createTransport({ type: 'http', url, headers: { 'x-key': 'mine' } }, { folder: '/', onText, limits }),
  })
  open.push(server)
  await server.connect()
  return server
}

async function echo(server: McpServer, text: string): Promise<unknown> {
  return unwrapResult(await server.tools()[0]?.execute({ text }, testToolContext())).output
}

test('a server is reached by its address, with the headers that it was given', async () => {
  const { url, seen } = await serve()
  const server = await connect(url)
  expect(server.state).toBe('ready')
  expect(await echo(server, 'hello')).toBe('hello')
  expect(seen.every(({ headers }) => headers['x-key'] === 'mine')).toBe(true)
})

test('responses can be event streams', async () => {
  const { url } = await serve({
    'tools/call': (response, { id }) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' })
      response.write(
        'event: message\ndata: {"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info","data":"working"}}\n\n',
      )
      const result = { content: [{ type: 'text', text: 'streamed' }] }
      response.end(`event: message\ndata: ${JSON.stringify({ jsonrpc: '2.0', id, result })}\n\n`)
    },
  })
  const server = await connect(url)
  expect(await echo(server, 'x')).toBe('streamed')
  expect(server.log()).toContain('[info] working')
})

test('an answer that does not end is cut off', async () => {
  const { url } = await serve({
    'tools/list': (response) => {
      response.writeHead(200, { 'content-type': 'application/json' })
      const timer = setInterval(() => response.write('x'.repeat(65_536)), 1)
      response.once('close', () => clearInterval(timer))
    },
  })
  const server = await connect(url, { messageBytes: 1 << 20 })
  expect(server.error).toBe('The MCP server "far" sent a message larger than 1024 KiB.')
})

test('a stream that floods is closed', async () => {
  const { url } = await serve({
    'tools/call': (response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' })
      const note = 'data: {"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info","data":"x"}}\n\n'
      const timer = setInterval(() => response.write(note.repeat(200)), 1)
      response.once('close', () => clearInterval(timer))
    },
  })
  const server = await connect(url, { unasked: 500 })
  await expect(echo(server, 'x')).rejects.toThrow('sent more than 500 unexpected messages')
})

test('redirects to other hosts are not followed, and get no headers', async () => {
  const other = await serve()
  const { url } = await serve({
    initialize: (response) => void response.writeHead(307, { location: other.url }).end(),
  })
  const server = await connect(url)
  expect(server.state).toBe('failed')
  expect(other.seen).toEqual([])
})

test('a missing server is reported', async () => {
  const { url } = await serve()
  await open.pop()?.close()
  const server = await connect(url)
  expect(server.state).toBe('failed')
  expect(server.error).toBe('The MCP server "far" cannot be reached (ECONNREFUSED).')
})

test('a server that requires a login is reported', async () => {
  const { url } = await serve({ initialize: (response) => void response.writeHead(401).end() })
  const server = await connect(url)
  expect(server.state).toBe('failed')
  expect(server.error).toBe('The MCP server "far" requires you to log in.')
})

test('a server that hangs is given up', async () => {
  const { url } = await serve({ 'tools/list': () => undefined })
  const server = await connect(url, { connectMs: 300 })
  expect(server.error).toBe('The MCP server "far" did not answer with its list of tools within 0.3 s.')
})
