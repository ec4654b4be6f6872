import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Script, scriptedModel } from '../../core/src/testing/index.ts'
import { createAgent } from './agent.ts'

const tools = [
  {
    name: 'add',
    description: 'Adds.',
    inputSchema: { type: 'object', properties: { a: { type: 'number' }, b: { type: 'number' } }, required: ['a', 'b'] },
    annotations: { readOnlyHint: true },
  },
  { name: 'fail', inputSchema: { type: 'object' }, annotations: { readOnlyHint: true } },
  { name: 'write.file', inputSchema: { type: 'object' } },
  { name: 'pages', inputSchema: { type: 'object' }, annotations: { readOnlyHint: true } },
]

/** A small MCP server that answers each method. Its source also runs as a separate process. */
function answerMcp(method: string, params: Record<string, unknown>, listed: unknown): unknown {
  if (method === 'initialize')
    return { protocolVersion: '2025-06-18', capabilities: { tools: {} }, serverInfo: { name: 'sums', version: '1' } }
  if (method === 'tools/list') return { tools: listed }
  if (method !== 'tools/call') return undefined
  const { name, arguments: given } = params as { name: string; arguments: { a: number; b: number } }
  if (name === 'pages') return { content: [1, 2].map((page) => ({ type: 'text', text: `page ${page}` })) }
  if (name === 'fail') return { isError: true, content: [{ type: 'text', text: 'out of order' }] }
  return {
    content: [
      { type: 'text', text: JSON.stringify({ sum: given.a + given.b }) },
      { type: 'text', text: '' },
    ].slice(0, 1),
  }
}

let server: Server
let url: string
let requests: string[] = []
const folder = mkdtempSync(path.join(tmpdir(), 'troupe-mcp-'))

beforeAll(async () => {
  server = createServer((request, response) => {
    if (request.method !== 'POST') return void response.writeHead(405).end()
    let body = ''
    request.on('data', (chunk: Buffer) => (body += chunk.toString()))
    request.on('end', () => {
      const { id, method, params } = JSON.parse(body) as {
        id?: number
        method: string
        params: Record<string, unknown>
      }
      requests.push(method)
      if (id === undefined) return void response.writeHead(202).end()
      const result = answerMcp(method, params, tools)
      response.writeHead(200, { 'content-type': 'application/json' })
      const error = { code: -32_601, message: 'Method not found' }
      response.end(JSON.stringify({ jsonrpc: '2.0', id, ...(result === undefined ? { error } : { result }) }))
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`
})

afterAll(() => {
  server.close()
  rmSync(folder, { recursive: true, force: true })
})

const calling =
  (name: string, input: unknown): Script =>
  (prompt) =>
    prompt.at(-1)?.role === 'tool' ? [{ text: 'done' }] : [{ call: { name, input } }]

describe('useMcp', () => {
  it('uses the tools of a server over one connection', async () => {
    requests = []
    const agent = createAgent({ name: 'a', model: scriptedModel(calling('add', { a: 2, b: 3 })) })
    await agent.useMcp(url)
    expect(agent.getToolList().map(({ name, readOnly }) => [name, readOnly])).toEqual([
      ['add', true],
      ['fail', true],
      ['write_file', false],
      ['pages', true],
    ])
    for (let i = 0; i < 2; i++) {
      const { toolLogs } = await agent.turn().input('q').run().result()
      expect(toolLogs[0]).toMatchObject({ name: 'add', result: { sum: 5 } })
    }
    expect(requests.filter((method) => method === 'initialize').length).toBeLessThanOrEqual(1)
    expect(requests.filter((method) => method === 'tools/list')).toHaveLength(1)
    await agent.close()
  })

  it("models are shown the server's own schema", async () => {
    const model = scriptedModel([[{ text: 'x' }]])
    await using agent = createAgent({ name: 'a', model })
    await agent.useMcp(url)
    expect(agent.getToolList()[0]?.kwargs).toEqual(tools[0]?.inputSchema)
    await agent.turn().input('q').run().result()
    const [shown] = model.calls[0]?.tools ?? []
    expect(shown).toMatchObject({ name: 'add', inputSchema: tools[0]?.inputSchema })
    expect(shown).not.toHaveProperty('inputSchema.additionalProperties')
  })

  it('reads every block of a result', async () => {
    await using agent = createAgent({ name: 'a', model: scriptedModel(calling('pages', {})) })
    await agent.useMcp(url)
    expect((await agent.turn().input('q').run().result()).toolLogs[0]?.result).toBe('page 1\npage 2')
  })

  it('a tool error is an error, and an invalid input never reaches the server', async () => {
    const failing = createAgent({ name: 'a', model: scriptedModel(calling('fail', {})) })
    await failing.useMcp({ type: 'http', url })
    expect((await failing.turn().input('q').run().result()).toolLogs[0]?.error).toBe('out of order')
    await failing.close()
    requests = []
    await using agent = createAgent({ name: 'a', model: scriptedModel(calling('add', { a: 'two' })) })
    await agent.useMcp(url)
    expect((await agent.turn().input('q').run().result()).toolLogs[0]?.error).toMatch(/a: .*number/)
    expect(requests).not.toContain('tools/call')
  })

  it('a named server has prefixed tool names, and its changes need approval', async () => {
    await using agent = createAgent({ name: 'a', model: scriptedModel(calling('mcp__sums_write_file', {})) })
    await agent.useMcp(url, { name: 'sums' })
    expect(agent.getToolList().map(({ name }) => name)).toEqual([
      'mcp__sums_add',
      'mcp__sums_fail',
      'mcp__sums_write_file',
      'mcp__sums_pages',
    ])
    expect((await agent.turn().input('q').run().result()).toolLogs[0]?.error).toMatch(/Nobody is available to approve/)
  })

  it('starts a server by its command', async () => {
    const file = path.join(folder, 'server.mjs')
    writeFileSync(
      file,
      `import readline from 'node:readline'
const tools = ${JSON.stringify(tools)}
${answerMcp.toString()}
for await (const line of readline.createInterface({ input: process.stdin })) {
  const { id, method, params } = JSON.parse(line)
  if (id === undefined) continue
  const result = answerMcp(method, params, tools)
  const answer = result === undefined ? { error: { code: -32601, message: 'Method not found' } } : { result }
  console.log(JSON.stringify({ jsonrpc: '2.0', id, ...answer }))
}`,
    )
    await using agent = createAgent({ name: 'a', model: scriptedModel(calling('add', { a: 1, b: 1 })) })
    await agent.useMcp({ command: process.execPath, args: [file] })
    expect((await agent.turn().input('q').run().result()).toolLogs[0]?.result).toEqual({ sum: 2 })
  })
})
