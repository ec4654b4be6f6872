import { expect, test } from 'vitest'
import { createApi } from '../api/api.ts'
import { createRequest } from '../api/request.ts'
import type { McpInfo } from '../api/settings-types.ts'
import { mcpServer, mcpTool } from '../testing/mcp-server.ts'
import { createMcpStore } from './mcp-store.ts'

const tools = [mcpTool('read'), mcpTool('write')]

function open(first: McpInfo[]) {
  const waiting: { name: string; body: unknown; answer: (value: unknown, status?: number) => void }[] = []
  const fetch = (path: string, init: RequestInit) =>
    new Promise<Response>((resolve) => {
      waiting.push({
        name: `${init.method} ${path}`,
        body: init.body == null ? undefined : JSON.parse(init.body as string),
        answer: (value, status = 200) => resolve(Response.json(value, { status })),
      })
    })
  const store = createMcpStore(createApi(createRequest(fetch as typeof globalThis.fetch, () => undefined)))
  const next = async (name: string) => {
    await expect.poll(() => waiting.some((one) => one.name === name)).toBe(true)
    return waiting.splice(
      waiting.findIndex((one) => one.name === name),
      1,
    )[0] as (typeof waiting)[number]
  }
  const loaded = async () => {
    const loading = store.load()
    ;(await next('GET /ai/mcp')).answer({ servers: first, problems: [] })
    await loading
  }
  const used = () => store.getState().list?.servers[0]?.tools.flatMap(({ name, enabled }) => (enabled ? name : []))
  return { store, next, loaded, used }
}

test('tools are switched at once, and quick changes are not undone by earlier responses', async () => {
  const { store, next, loaded, used } = open([mcpServer({ tools })])
  await loaded()
  const first = store.change('files', { useTools: ['write'] })
  const second = store.change('files', { useTools: [] })
  expect(used()).toEqual([])
  ;(await next('PATCH /ai/mcp/files')).answer({ server: mcpServer({ tools: [tools[1] as (typeof tools)[0]] }) })
  await first
  expect(used()).toEqual([])
  const sent = await next('PATCH /ai/mcp/files')
  expect(sent.body).toEqual({ useTools: [] })
  sent.answer({ server: mcpServer({ tools: tools.map((tool) => ({ ...tool, enabled: false })) }) })
  await second
  expect(used()).toEqual([])
})

test('a list requested before a change does not undo it', async () => {
  const { store, next, loaded, used } = open([mcpServer({ tools })])
  await loaded()
  const loading = store.load()
  const late = await next('GET /ai/mcp')
  void store.change('files', { useTools: ['read'] })
  late.answer({ servers: [mcpServer({ tools })], problems: [] })
  await loading
  expect(used()).toEqual(['read'])
})

test('a refused change is reported, and the actual state is shown', async () => {
  const { store, next, loaded, used } = open([mcpServer({ tools })])
  await loaded()
  const changed = store.change('files', { useTools: [] })
  ;(await next('PATCH /ai/mcp/files')).answer({ error: { name: 'McpNotFound', message: 'It is gone.' } }, 404)
  ;(await next('GET /ai/mcp')).answer({ servers: [mcpServer({ tools })], problems: [] })
  await changed
  expect(used()).toEqual(['read', 'write'])
  expect(store.getState().refusal).toBe('It is gone.')
})
