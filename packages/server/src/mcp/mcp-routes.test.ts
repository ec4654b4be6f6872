import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
  symlinkSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import type { Ask } from '@troupe/core'
import type { McpInfo } from '@troupe/protocol'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { testServer, type TestServer, type TestServerOptions } from '../testing/test-server.ts'

const program = path.join(import.meta.dirname, '../../../core/testing/mcp-server.mjs')
const open: TestServer[] = []
let folder: string

beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'troupe-mcp-'))
})
afterEach(async () => {
  for (const server of open.splice(0)) await server.close()
  rmSync(folder, { recursive: true, force: true })
})

const entry = (behaviour = 'good', ...args: string[]): { command: string; args: string[] } => ({
  command: process.execPath,
  args: [program, behaviour, ...args],
})

async function start(options: TestServerOptions = {}): Promise<TestServer> {
  const server = await testServer({ env: { PATH: process.env['PATH'] }, ...options })
  open.push(server)
  return server
}

const list = async (
  server: TestServer,
): Promise<{ servers: McpInfo[]; problems: { path: string; message: string }[] }> =>
  (await server.json<{ servers: McpInfo[]; problems: { path: string; message: string }[] }>('/ai/mcp')).body

async function found(server: TestServer, name: string): Promise<McpInfo> {
  return (await server.json<{ server: McpInfo }>(`/ai/mcp/${name}`)).body.server
}

async function inState(server: TestServer, name: string, state: string): Promise<McpInfo> {
  for (const end = performance.now() + 10_000; performance.now() < end;) {
    const view = await found(server, name)
    if (view.state === state) return view
    await delay(20)
  }
  throw new Error(`It is ${(await found(server, name)).state}, not ${state}: ${(await found(server, name)).error}`)
}

const toolNames = async (server: TestServer): Promise<string[]> =>
  (await server.json<{ tools: { name: string }[] }>('/ai/tools')).body.tools
    .map(({ name }) => name)
    .filter((name) => name.startsWith('mcp'))

describe('servers of the home', () => {
  it('are available to models, with permissions', async () => {
    const server = await start({ config: { mcpServers: { files: { ...entry(), env: { API_KEY: 'hush-hush-1' } } } } })
    const call = { call: { name: 'mcp__files__echo', input: { text: 'hi' } } }
    server.script('go', [[call], [{ text: 'Done.' }]])
    const { types } = await server.chat('s1', 'go')
    expect(types).toContain('tool-approval-request')
    const [ask] = (await server.json<{ asks: Ask[] }>('/ai/asks?sessionId=s1')).body.asks
    expect(ask).toMatchObject({
      toolName: 'mcp__files_echo',
      remember: ['mcp__files_echo'],
      title: 'echo (MCP server files)',
    })
    await server.json(`/ai/asks/${ask?.id}`, { body: { answer: { type: 'approve', remember: 'session' } } })
    await (await server.request('/ai/chat/s1/stream')).text()
    const again = await server.chat('s1', 'go')
    expect(again.types).not.toContain('tool-approval-request')
    expect(again.message.parts).toContainEqual(expect.objectContaining({ state: 'output-available', output: 'hi' }))
  })

  it('show their state, their tools and the names of their variables, never the values', async () => {
    const server = await start({ config: { mcpServers: { files: { ...entry(), env: { API_KEY: 'hush-hush-1' } } } } })
    const view = await inState(server, 'files', 'ready')
    expect(view).toMatchObject({
      origin: 'home',
      type: 'stdio',
      enabled: true,
      error: null,
      trust: null,
      env: ['API_KEY'],
      title: 'A test server',
    })
    expect(view.tools).toContainEqual(
      expect.objectContaining({
        name: 'look',
        toolName: 'mcp__files_look',
        title: 'Look around',
        readOnlyHint: true,
        enabled: true,
      }),
    )
    expect(view.tokens).toBeGreaterThan(50)
    expect(await (await server.request('/ai/mcp')).text()).not.toContain('hush')
    server.script('keys', [[{ call: { name: 'mcp__files_environment', input: {} } }], [{ text: 'Seen.' }]])
    await server.json('/ai/rules', { body: { text: 'mcp__files', effect: 'allow', scope: 'always' } })
    const { message } = await server.chat('s1', 'keys')
    expect(JSON.stringify(message)).toContain('output-available')
    expect(JSON.stringify(message)).not.toContain('hush-hush')
  })

  it('get no headers that were given for another server', async () => {
    const server = await start()
    const held = () => server.config.get().mcpServers?.['far']
    const change = async (body: object) =>
      (await server.json<{ dropped: string[] }>('/ai/mcp/far', { method: 'PATCH', body })).body.dropped
    const headers = { authorization: 'Bearer hush' }
    await server.json('/ai/mcp', { body: { name: 'far', url: 'http://127.0.0.1:1/mcp', headers } })
    expect(await change({ url: 'http://127.0.0.1:1/other' })).toEqual([])
    expect(held()).toMatchObject({ headers })
    expect(await change({ url: 'http://127.0.0.1:2/mcp' })).toEqual(['headers'])
    expect(held()).not.toHaveProperty('headers')
    expect(await change({ url: 'http://127.0.0.1:1/mcp', headers })).toEqual([])
    expect(held()).toMatchObject({ headers })
  })

  it('can be added, changed, limited, disabled and removed', async () => {
    const server = await start()
    const added = await server.json<{ server: McpInfo }>('/ai/mcp', { body: { name: 'files', ...entry() } })
    expect(added).toMatchObject({ status: 201, body: { server: { name: 'files', editable: true } } })
    await inState(server, 'files', 'ready')
    expect(await toolNames(server)).toContain('mcp__files_echo')
    expect(await server.json('/ai/mcp', { body: { name: 'Files', ...entry() } })).toMatchObject({
      status: 409,
      body: { error: { name: 'McpExists' } },
    })
    await server.json('/ai/mcp/files', { method: 'PATCH', body: { useTools: ['look'] } })
    expect(await toolNames(server)).toEqual(['mcp__files_look'])
    await server.json('/ai/mcp/files', { method: 'PATCH', body: { enabled: false } })
    expect(await found(server, 'files')).toMatchObject({ state: 'disabled', enabled: false })
    expect(await toolNames(server)).toEqual([])
    await server.json('/ai/mcp/files', { method: 'PATCH', body: { enabled: true, useTools: null, env: { A: 'b' } } })
    expect(await inState(server, 'files', 'ready')).toMatchObject({ env: ['A'], trust: null })
    expect((await toolNames(server)).length).toBeGreaterThan(5)
    expect(await server.json('/ai/mcp/files', { method: 'DELETE' })).toMatchObject({ body: { deleted: 'files' } })
    expect((await list(server)).servers).toEqual([])
    expect(await toolNames(server)).toEqual([])
    expect(statSync(path.join(server.homePath, 'config.json')).mode & 0o777).toBe(0o600)
  })

  it('are refused with the reason when they make no sense', async () => {
    const server = await start()
    for (const [body, message] of [
      [{ name: 'files' }, 'neither a "command" nor a "url"'],
      [{ name: 'files', command: 'x', url: 'http://a.example' }, 'keep one'],
      [{ name: 'a__b', command: 'x' }, 'no two "_" in a row'],
      [{ name: 'files', command: 'x', colour: 1 }, 'colour'],
    ] as const)
      expect(await server.json('/ai/mcp', { body })).toMatchObject({
        status: 400,
        body: { error: { name: 'BadRequest', message: expect.stringContaining(message) } },
      })
    expect((await list(server)).servers).toEqual([])
    expect(await server.json('/ai/mcp/none')).toMatchObject({ status: 404, body: { error: { name: 'McpNotFound' } } })
  })

  it('that are written wrongly harm no other', async () => {
    const server = await start({
      config: {
        mcpServers: {
          good: entry(),
          bad: { args: 'x' },
          far: { url: 'ftp://a.example' },
          'a b': entry(),
          GOOD: entry(),
        },
      },
    })
    await inState(server, 'good', 'ready')
    const { servers, problems } = await list(server)
    expect(servers.map(({ name, state }) => [name, state])).toEqual([
      ['good', 'ready'],
      ['bad', 'failed'],
      ['far', 'failed'],
    ])
    expect(servers.map(({ error }) => error)).toEqual([
      null,
      expect.stringContaining('args: '),
      expect.stringContaining('not an http or https URL'),
    ])
    expect(problems.map(({ message }) => message)).toEqual([
      expect.stringContaining('"a b" is not a valid MCP server name'),
      expect.stringContaining('"GOOD" was skipped'),
    ])
  })

  it('have the user’s variables filled in, and report missing ones', async () => {
    const server = await start({
      env: { PATH: process.env['PATH'], MODE: 'good' },
      config: {
        mcpServers: {
          files: { command: process.execPath, args: [program, '${MODE}'] },
          other: { command: process.execPath, args: [program, '${NOT_THERE}'] },
          third: { command: process.execPath, args: [program, '${NOT_THERE:-good}'] },
        },
      },
    })
    await inState(server, 'files', 'ready')
    await inState(server, 'third', 'ready')
    expect((await found(server, 'other')).error).toContain('the variable NOT_THERE is not set')
  })

  it('ask for trust again when their command changes, for any reason', async () => {
    const server = await start({ config: { mcpServers: { files: entry() } } })
    await inState(server, 'files', 'ready')
    const file = path.join(server.homePath, 'config.json')
    writeFileSync(file, JSON.stringify({ mcpServers: { files: entry('good', 'and-more') } }))
    const view = await inState(server, 'files', 'needs-trust')
    expect(view).toMatchObject({
      trust: { what: 'command' },
      error: expect.stringContaining('has changed since you trusted it'),
    })
    expect(await toolNames(server)).toEqual([])
    const wrong = await server.json('/ai/mcp/files/trust', { body: { fingerprint: 'something else' } })
    expect(wrong).toMatchObject({ status: 409, body: { error: { name: 'McpChanged' } } })
    await server.json('/ai/mcp/files/trust', { body: { fingerprint: view.trust?.fingerprint } })
    await inState(server, 'files', 'ready')
    expect(JSON.parse(readFileSync(path.join(server.homePath, 'mcp-state.json'), 'utf8'))).toMatchObject({
      home: { files: { command: view.trust?.fingerprint } },
    })
  })

  it('ask for trust again when their tools have changed', async () => {
    const file = path.join(folder, 'description')
    const server = await start({ config: { mcpServers: { files: entry('swaps-on-restart', file) } } })
    await inState(server, 'files', 'ready')
    writeFileSync(file, 'Now with a catch.')
    expect((await server.json<{ test: object }>('/ai/mcp/files/test', { method: 'POST' })).body.test).toMatchObject({
      ok: false,
    })
    const view = await found(server, 'files')
    expect(view).toMatchObject({
      state: 'needs-trust',
      trust: { what: 'tools' },
      tools: [{ description: 'Now with a catch.' }],
    })
    expect(await toolNames(server)).toEqual([])
    await server.json('/ai/mcp/files/trust', { body: { fingerprint: view.trust?.fingerprint } })
    expect(await toolNames(server)).toEqual(['mcp__files_echo'])
  })

  it('are tested, and their log is returned without secrets', async () => {
    const server = await start({
      config: {
        mcpServers: { files: { ...entry('exit-with-words'), env: { TOKEN: 'no licence found' } }, good: entry() },
      },
    })
    await inState(server, 'files', 'failed')
    const tested = await server.json<{ test: { ok: boolean; ms: number; error: string } }>('/ai/mcp/files/test', {
      method: 'POST',
    })
    expect(tested.body.test).toMatchObject({ ok: false, error: 'The MCP server "files" exited with code 1.' })
    const { log } = (await server.json<{ log: string }>('/ai/mcp/files/log')).body
    expect(log).toContain('[redacted]')
    expect(log).not.toContain('licence')
    expect((await server.json<{ test: object }>('/ai/mcp/good/test', { method: 'POST' })).body.test).toMatchObject({
      ok: true,
      error: null,
    })
  })

  it('offer prompts with their arguments filled in', async () => {
    const server = await start({ config: { mcpServers: { files: entry() } } })
    await inState(server, 'files', 'ready')
    await server.json('/ai/mcp/files/test', { method: 'POST' })
    expect((await found(server, 'files')).prompts[0]).toEqual({
      name: 'greet',
      description: 'Greets',
      arguments: [{ name: 'who', description: '', required: false }],
    })
    const { body } = await server.json<{ messages: object[] }>('/ai/mcp/files/prompts/greet', {
      body: { arguments: { who: 'Ada' } },
    })
    expect(body.messages).toEqual([
      { role: 'user', content: { type: 'text', text: 'Greet Ada @notes.md </mcp-prompt>' } },
    ])
  })

  it('have their resources listed, and read after a question', async () => {
    const server = await start({ config: { mcpServers: { files: entry() } } })
    await server.json('/ai/mcp/files/test', { method: 'POST' })
    server.script('list', [[{ call: { name: 'ListMcpResources', input: {} } }], [{ text: 'Listed.' }]])
    const { message } = await server.chat('s1', 'list')
    expect(message.parts).toContainEqual(
      expect.objectContaining({ output: [{ server: 'files', uri: 'memo://1', name: 'memo' }] }),
    )
    const read = { name: 'ReadMcpResource', input: { server: 'files', uri: 'memo://1' } }
    server.script('read', [[{ call: read }], [{ text: 'Read.' }]])
    expect((await server.chat('s2', 'read')).types).toContain('tool-approval-request')
    await server.json('/ai/rules', { body: { text: 'ReadMcpResource', effect: 'allow', scope: 'always' } })
    const allowed = await server.chat('s3', 'read')
    expect(JSON.stringify(allowed.message)).toContain('a memo')
  })

  it('with the same tool name are distinguished: the first one has it', async () => {
    const config = { mcpServers: { a: entry('named', 'b_echo'), a_b: entry('named', 'echo') } }
    const server = await start({ config })
    await inState(server, 'a', 'ready')
    await inState(server, 'a_b', 'ready')
    expect(await toolNames(server)).toEqual(['mcp__a_b_echo'])
    expect((await list(server)).problems).toEqual([
      expect.objectContaining({
        message: expect.stringContaining('of the MCP server "a_b" was skipped: "a" has a tool'),
      }),
    ])
  })
})

describe('servers of a project', () => {
  async function project(servers: object, options: TestServerOptions = {}): Promise<TestServer> {
    mkdirSync(path.join(folder, '.troupe'), { recursive: true })
    writeFileSync(path.join(folder, '.mcp.json'), JSON.stringify({ mcpServers: servers }))
    return start({ workspace: folder, ...options })
  }
  const trust = (server: TestServer): Promise<unknown> =>
    server.json('/ai/workspace', { method: 'PATCH', body: { trusted: true } })

  it('are ignored until the folder is trusted, and then each needs trust', async () => {
    const server = await project({ files: entry() })
    expect(await list(server)).toMatchObject({
      servers: [],
      problems: [{ message: expect.stringContaining('Trust the folder to use them') }],
    })
    await trust(server)
    const view = await found(server, 'files')
    expect(view).toMatchObject({ origin: 'project', state: 'needs-trust', editable: true, trust: { what: 'command' } })
    await server.json('/ai/mcp/files/trust', { body: { fingerprint: view.trust?.fingerprint } })
    await inState(server, 'files', 'ready')
    await server.json('/ai/workspace', { method: 'PATCH', body: { trusted: false } })
    expect(await toolNames(server)).toEqual([])
    expect((await list(server)).servers).toEqual([])
  })

  it('are overridden by the user’s, and get none of the user’s variables', async () => {
    const server = await project(
      { files: entry('good', 'of-the-project'), keys: { command: 'x', env: { A: '${HOME}' } } },
      { config: { mcpServers: { files: entry() } } },
    )
    await trust(server)
    const { servers, problems } = await list(server)
    expect(servers.map(({ name, origin }) => [name, origin])).toEqual([
      ['files', 'home'],
      ['keys', 'project'],
    ])
    expect(problems).toEqual([
      { path: path.join(folder, '.mcp.json'), message: expect.stringContaining('"files" was skipped') },
    ])
    const keys = await found(server, 'keys')
    await server.json('/ai/mcp/keys/trust', { body: { fingerprint: keys.trust?.fingerprint } })
    expect((await found(server, 'keys')).error).toContain('variables only work in your own config.json')
  })

  it('are changed in their file, which keeps everything else, and then need trust again', async () => {
    const server = await project({ files: entry('good', 'one'), other: { command: 'x', env: { KEY: 'secret' } } })
    const file = path.join(folder, '.mcp.json')
    writeFileSync(file, JSON.stringify({ mine: 1, ...(JSON.parse(readFileSync(file, 'utf8')) as object) }, null, '\t'))
    await trust(server)
    const view = await found(server, 'files')
    await server.json('/ai/mcp/files/trust', { body: { fingerprint: view.trust?.fingerprint } })
    await inState(server, 'files', 'ready')
    const change = (body: object): Promise<{ status: number; body: unknown }> =>
      server.json('/ai/mcp/files', { method: 'PATCH', body })
    expect(await change({ args: ['two'], version: 'an older one' })).toMatchObject({
      status: 409,
      body: { error: { name: 'FileChanged' } },
    })
    expect(await change({ command: 'other', args: ['two'], version: view.version })).toMatchObject({
      status: 200,
      body: { server: { command: 'other', state: 'needs-trust', trust: { what: 'command' } } },
    })
    const text = readFileSync(file, 'utf8')
    expect(text).toContain('\n\t"mine": 1')
    expect(JSON.parse(text)).toMatchObject({
      mine: 1,
      mcpServers: { files: { command: 'other', args: ['two'] }, other: { command: 'x', env: { KEY: 'secret' } } },
    })
    expect((await server.json('/ai/mcp/files', { method: 'DELETE' })).status).toBe(200)
    expect(Object.keys((JSON.parse(readFileSync(file, 'utf8')) as { mcpServers: object }).mcpServers)).toEqual([
      'other',
    ])
  })

  it('are not changed through a link out of the folder', async () => {
    const server = await project({})
    const elsewhere = path.join(server.homePath, 'elsewhere.json')
    const before = JSON.stringify({ mcpServers: { theirs: entry() } })
    writeFileSync(elsewhere, before)
    rmSync(path.join(folder, '.mcp.json'))
    symlinkSync(elsewhere, path.join(folder, '.mcp.json'))
    await trust(server)
    expect(await found(server, 'theirs')).toMatchObject({ editable: false })
    expect(await server.json('/ai/mcp/theirs', { method: 'DELETE' })).toMatchObject({
      status: 409,
      body: { error: { name: 'FileNotEditable' } },
    })
    expect(readFileSync(elsewhere, 'utf8')).toBe(before)
  })

  it('ask again when the project has changed them', async () => {
    const server = await project({ files: entry() })
    await trust(server)
    const before = await found(server, 'files')
    await server.json('/ai/mcp/files/trust', { body: { fingerprint: before.trust?.fingerprint } })
    await inState(server, 'files', 'ready')
    writeFileSync(
      path.join(folder, '.mcp.json'),
      JSON.stringify({ mcpServers: { files: { command: 'curl', args: ['evil'] } } }),
    )
    expect(await found(server, 'files')).toMatchObject({ state: 'needs-trust', command: 'curl', tools: [] })
    expect(await toolNames(server)).toEqual([])
  })
})

describe('a run', () => {
  it('waits for servers that are still connecting', async () => {
    const server = await start({ config: { mcpServers: { files: entry() } } })
    await server.chat('s1', 'hello')
    expect(server.model.calls[0]?.tools?.map((tool) => tool.name)).toContain('mcp__files_echo')
  })

  it('continues without servers that are too slow, and reports it', async () => {
    const server = await start({
      mcpReadyMs: 100,
      config: { mcpServers: { slow: entry('hang-at-start'), files: entry() } },
    })
    await inState(server, 'files', 'ready')
    const begun = performance.now()
    await server.chat('s1', 'hello')
    expect(performance.now() - begun).toBeLessThan(9000)
    const [system] = server.model.calls[0]?.prompt ?? []
    expect(system?.content).toContain('still connecting, so you do not have their tools yet: "slow".')
    expect(server.model.calls[0]?.tools?.map((tool) => tool.name)).toContain('mcp__files_echo')
  })

  it('does not wait for a failed server', async () => {
    const server = await start({ mcpReadyMs: 25_000, config: { mcpServers: { files: entry('exit-at-start') } } })
    await inState(server, 'files', 'failed')
    const begun = performance.now()
    await server.chat('s1', 'hello')
    expect(performance.now() - begun).toBeLessThan(20_000)
  })
})

describe('logins', () => {
  it('store tokens in private files, and never show them', async () => {
    const url = 'http://127.0.0.1:1/mcp'
    const server = await start({ config: { mcpServers: { far: { url }, files: entry() } } })
    await server.mcp.logins.provider({ url }).saveTokens({ access_token: 'very-secret-token', token_type: 'Bearer' })
    const [name] = readdirSync(path.join(server.homePath, 'mcp-logins'))
    const file = path.join(server.homePath, 'mcp-logins', name as string)
    expect(readFileSync(file, 'utf8')).toContain('very-secret-token')
    expect(statSync(file).mode & 0o777).toBe(0o600)
    expect((await found(server, 'far')).login).toBe('done')
    expect(await (await server.request('/ai/mcp')).text()).not.toContain('very-secret')
    expect(server.lines.join('')).not.toContain('very-secret')
    await server.json('/ai/mcp/far', { method: 'DELETE' })
    expect(readdirSync(path.join(server.homePath, 'mcp-logins'))).toEqual([])
  })

  it('can only be finished by the client that started them', async () => {
    const server = await start({ config: { mcpServers: { files: entry() } } })
    expect(await server.json('/ai/mcp/callback?state=guessed&code=x')).toMatchObject({
      status: 400,
      body: { error: { name: 'McpLoginUnknown' } },
    })
    expect((await server.request('/ai/mcp/callback?state=x&error=access_denied')).status).toBe(400)
    expect(await server.json('/ai/mcp/files/login', { method: 'POST' })).toMatchObject({
      status: 409,
      body: { error: { name: 'McpNoLogin' } },
    })
  })
})
