import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { createMcpServer, createTransport, type McpServer, type McpServerConfig, type ToolContext } from '@troupe/core'
import { testToolContext } from '@troupe/core/testing'
import { expect, it } from 'vitest'
import { firstLine, serveHere, start, startHere, troupe, useTroupe } from '../testing/use-troupe.ts'

const place = useTroupe()
const main = fileURLToPath(new URL('../main.ts', import.meta.url))
const work = (...names: string[]): string => path.join(place.folder, 'work', ...names)

async function connect(config: McpServerConfig): Promise<McpServer> {
  const server = createMcpServer({
    name: 'troupe',
    trusted: { get: () => undefined, set: () => undefined },
    transport: (onText) => createTransport(config, { folder: work(), onText, env: place.env }),
  })
  place.ends.push(() => server.close())
  await server.connect()
  expect(server.error).toBeUndefined()
  return server
}

const onStreams = (...args: string[]): Promise<McpServer> =>
  connect({
    type: 'stdio',
    command: process.execPath,
    args: ['--conditions=troupe-source', '--disable-warning=ExperimentalWarning', main, 'mcp', ...args],
    env: { TROUPE_HOME: place.env['TROUPE_HOME'] as string },
  })

/** Same without starting a process, for tests that do not depend on the streams. */
async function offered(...args: string[]): Promise<McpServer> {
  const { stdout, code, stop } = startHere(place, ['mcp', '--http', ...args])
  const { url } = JSON.parse(await firstLine(stdout)) as { url: string }
  const server = await connect({ type: 'http', url, headers: authorization() })
  place.ends.push(() => {
    stop()
    return code
  })
  return server
}

function authorization(): { authorization: string } {
  return { authorization: `Bearer ${readFileSync(path.join(place.folder, 'home', 'token'), 'utf8').trim()}` }
}

function call(server: McpServer, name: string, input: object): Promise<unknown> {
  const tool = server.tools().find((one) => one.name === `mcp__troupe_${name}`)
  if (tool === undefined)
    throw new Error(
      `no ${name} among ${server
        .tools()
        .map((one) => one.name)
        .join(', ')}`,
    )
  return Promise.resolve(tool.execute(input, testToolContext())).then(
    (found: unknown) => (found as { output: unknown }).output,
  )
}

it('exposes agents, which answer and continue a conversation', async () => {
  const server = await onStreams()
  const names = server.tools().map(({ name }) => name)
  expect(names).toContain('mcp__troupe_agent_master')
  expect(names).toContain('mcp__troupe_agent_explore')
  expect(names.every((name) => name.startsWith('mcp__troupe_agent_'))).toBe(true)
  const { structuredContent } = (await call(server, 'agent_master', { prompt: 'hello' })) as {
    structuredContent: { session: string; text: string }
  }
  expect(structuredContent.text).not.toBe('')
  const again = await call(server, 'agent_master', { prompt: 'and again', session: structuredContent.session })
  expect(again).toMatchObject({ structuredContent: { session: structuredContent.session } })
  const { stdout } = await troupe(place, ['debug', structuredContent.session, '--json']).catch(() => ({ stdout: '' }))
  expect(stdout).toContain('and again')
  await expect(call(server, 'agent_master', { prompt: 'x', session: '../x' })).rejects.toThrow('an earlier call')
})

it('exposes chosen tools with the same permissions: tool calls that would ask are denied', async () => {
  writeFileSync(work('a.txt'), 'one line\n')
  const server = await offered('--agents', '', '--tools', 'Read,Write,Bash')
  expect(server.tools().map(({ name }) => name)).toEqual(['mcp__troupe_Read', 'mcp__troupe_Write', 'mcp__troupe_Bash'])
  expect(server.listed.find(({ name }) => name === 'Read')?.annotations?.readOnlyHint).toBe(true)
  expect(String(await call(server, 'Read', { file_path: 'a.txt' }))).toContain('one line')
  await expect(call(server, 'Write', { file_path: 'b.txt', content: 'x' })).rejects.toThrow(
    'Nobody is available to approve it',
  )
  expect(existsSync(work('b.txt'))).toBe(false)
  await expect(call(server, 'Read', { file_path: '/etc/shadow' })).rejects.toThrow('Nobody is available to approve it')
})

it('returns images as such, and the user’s commands as prompts', async () => {
  const pixel = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='
  writeFileSync(work('pixel.png'), Buffer.from(pixel, 'base64'))
  writeFileSync(work('notes.md'), 'My notes.')
  mkdirSync(path.join(place.folder, 'home', 'commands', 'git'), { recursive: true })
  writeFileSync(
    path.join(place.folder, 'home', 'commands', 'git', 'review.md'),
    '---\ndescription: Reviews\nargument-hint: <file> [focus]\n---\nReview $1 for "$2", see @notes.md',
  )
  const server = await offered('--agents', '', '--tools', 'Read')
  const kept: [string, number][] = []
  const blobs: ToolContext['blobs'] = {
    put(bytes, mediaType) {
      kept.push([mediaType, bytes.length])
      return Promise.resolve({ sha256: 'a'.repeat(64), size: bytes.length, mediaType })
    },
    get: () => Promise.resolve(undefined),
  }
  const [read] = server.tools()
  await read?.execute({ file_path: 'pixel.png' }, testToolContext({ blobs }))
  expect(kept).toEqual([['image/png', 70]])
  await server.complete()
  expect(server.prompts).toEqual([
    {
      name: 'git:review',
      description: 'Reviews',
      arguments: [
        { name: 'file', required: true },
        { name: 'focus', required: false },
      ],
    },
  ])
  const { messages } = await server.connection().getPrompt('git:review', { file: 'a.ts', focus: "it's the loop" })
  expect(messages).toMatchObject([
    { content: { type: 'resource', resource: { uri: 'troupe:notes.md', text: 'My notes.' } } },
    { content: { type: 'text', text: 'Review a.ts for "it\'s the loop", see @notes.md' } },
  ])
  await expect(server.connection().getPrompt('git:review', {})).rejects.toThrow('needs "file"')
  await expect(server.connection().getPrompt('none', {})).rejects.toThrow('There is no prompt "none"')
})

it('lets rules allow more', async () => {
  const server = await offered('--agents', '', '--tools', 'Write', '--allow', 'Edit(**)', '--allow', 'Write')
  await call(server, 'Write', { file_path: 'b.txt', content: 'x' })
  expect(readFileSync(work('b.txt'), 'utf8')).toBe('x')
})

it('connects to the process that owns the home', async () => {
  await serveHere(place)
  const server = await onStreams('--agents', 'explore')
  expect(server.tools().map(({ name }) => name)).toEqual(['mcp__troupe_agent_explore'])
})

it('is reachable over HTTP with the token, and not from a page', async () => {
  const child = start(place, ['mcp', '--http', '--agents', '', '--tools', 'TimeNow'])
  const { url, tools } = JSON.parse(await firstLine(child.stdout)) as { url: string; tools: string[] }
  expect(tools).toEqual(['TimeNow'])
  const headers = authorization()
  const server = await connect({ type: 'http', url, headers })
  // Programs get an object too, as models do.
  expect(JSON.stringify(await call(server, 'TimeNow', {}))).toMatch(/^\{.*"structuredContent":\{.*\d/)
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'ping' })
  const post = (more: Record<string, string>): Promise<Response> =>
    fetch(url, { method: 'POST', body, headers: { 'content-type': 'application/json', ...more } })
  expect((await post({})).status).toBe(401)
  expect((await post({ authorization: 'Bearer wrong' })).status).toBe(401)
  expect((await post({ ...headers, origin: 'http://evil.example' })).status).toBe(403)
})

it('reports missing agents and tools', async () => {
  const wrong = await troupe(place, ['mcp', '--tools', 'Fly'])
  expect([wrong.code, wrong.stderr]).toEqual([2, expect.stringContaining('There is no tool "Fly". Available tools: ')])
  const agent = await troupe(place, ['mcp', '--agents', 'nobody'])
  expect([agent.code, agent.stderr]).toEqual([2, expect.stringContaining('There is no agent "nobody"')])
})
