import { mkdirSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { afterEach, describe, expect, it } from 'vitest'
import { teamServer, type TeamServer } from './testing/team-server.ts'

type Entry = { action: string; outcome: string; actor: { name: string }; detail: Record<string, unknown> }

describe('the policy of an organization', () => {
  let server: TeamServer
  afterEach(() => server.close())

  const set = async (policy: object): Promise<{ status: number; body: { error?: { name: string } } }> => {
    const { version } = (await server.as('admin').json<{ version: number }>('/ai/policy')).body
    return server.as('admin').json('/ai/policy', { method: 'PATCH', body: { policy, version } })
  }
  const bash = (command: string) => [[{ call: { name: 'Bash', input: { command } } }], [{ text: 'done' }]]
  const entries = async (query: string): Promise<Entry[]> =>
    (await server.as('admin').json<{ entries: Entry[] }>(`/ai/audit?${query}`)).body.entries

  it('is changed by admins only, by the version they saw, and valid', async () => {
    server = await teamServer()
    expect((await server.as('ann').json('/ai/policy')).body).toEqual({ policy: {}, version: 0 })
    const refused = await server.as('ann').json('/ai/policy', { method: 'PATCH', body: { policy: {}, version: 0 } })
    expect(refused.status).toBe(403)
    expect((await set({ permissions: { deny: ['Bash(curl *)'] } })).status).toBe(200)
    const late = await server.as('owner').json('/ai/policy', { method: 'PATCH', body: { policy: {}, version: 0 } })
    expect(late).toMatchObject({ status: 409, body: { error: { name: 'PolicyChanged' } } })
    for (const bad of [
      { permissions: { deny: ['Bash('] } },
      { hosts: ['https://example.com/path'] },
      { deniedTools: ['Bash(curl *)'] },
      { modes: ['default'], mode: 'accept-edits' },
    ])
      expect(await set(bad)).toMatchObject({ status: 422, body: { error: { name: 'BadPolicy' } } })
    expect((await server.as('ann').json('/ai/policy')).body).toMatchObject({ version: 1 })
    expect((await entries('action=policy')).map(({ actor, action, outcome }) => [actor.name, action, outcome])).toEqual(
      [
        ...Array.from({ length: 4 }, () => ['Adam', 'policy.change', 'failed']),
        ['Olga', 'policy.change', 'failed'],
        ['Adam', 'policy.change', 'ok'],
        ['Ann', 'policy.change', 'denied'],
      ],
    )
  })

  it('forbids what members allow themselves, at once and in open chats', async () => {
    server = await teamServer({ config: {} })
    const ann = server.as('ann')
    server.script('one', bash('make one'))
    server.script('two', bash('make two'))
    await ann.json('/ai/sessions', { body: { id: 's1' } })
    const rule = { text: 'Bash(make *)', effect: 'allow', scope: 'session', sessionId: 's1' }
    expect((await ann.json('/ai/rules', { body: rule })).status).toBe(201)
    await set({ permissions: { deny: ['Bash(make two)'] } })
    await ann.chat('s1', 'one')
    const second = await ann.chat('s1', 'two')
    expect(JSON.stringify(second.message)).toContain('managed rule')
    await expect
      .poll(async () => (await entries('action=tool')).map(({ actor, action }) => [actor.name, action]))
      .toEqual([
        ['Ann', 'tool.deny'],
        ['Ann', 'tool.allow'],
      ])
    await set({ ignoreAllowRules: true })
    server.script('three', bash('make three'))
    expect((await ann.chat('s1', 'three')).types).toContain('tool-approval-request')
  })

  it('keeps rules for everybody in the hands of admins', async () => {
    server = await teamServer()
    const rule = { text: 'Bash(make *)', effect: 'allow', scope: 'always' }
    expect((await server.as('ann').json('/ai/rules', { body: rule })).status).toBe(403)
    expect((await server.as('ann').json('/ai/rules', { body: { ...rule, scope: 'project' } })).status).toBe(403)
    expect((await server.as('admin').json('/ai/rules', { body: rule })).status).toBe(201)
  })

  it('limits modes, models, tools and hosts', async () => {
    server = await teamServer()
    await set({ modes: ['default'], models: ['shop/*'], tools: ['Read', 'mcp__files'], hosts: ['example.com'] })
    const ann = server.as('ann')
    const mode = await ann.json('/ai/sessions', { body: { id: 's1', mode: 'accept-edits' } })
    expect(mode).toMatchObject({ status: 403, body: { error: { name: 'ModeNotAllowed' } } })
    expect((await ann.json('/ai/sessions', { body: { id: 's1', mode: 'plan' } })).status).toBe(201)
    const chat = await ann.chat('s1', 'hello')
    expect(chat.error).toMatchObject({ name: 'ModelNotAllowed' })
    const listed = await ann.json<{ models: { ref: string }[] }>('/ai/models?all=1')
    expect(listed.body.models.map(({ ref }) => ref)).toEqual([])
    const explained = await ann.json<{ decisions: { decision: string; reason: string }[] }>('/ai/rules/explain', {
      body: {
        calls: [
          { tool: 'Read', input: { file_path: 'a.txt' } },
          { tool: 'Bash', input: { command: 'ls' } },
          { tool: 'mcp__files_list', input: {} },
        ],
        allow: ['Bash'],
      },
    })
    expect(explained.body.decisions.map(({ decision }) => decision)).toEqual(['allow', 'deny', 'ask'])
    await set({ hosts: ['example.com'], deniedHosts: ['bad.example.com'] })
    const urls = await ann.json<{ decisions: { decision: string }[] }>('/ai/rules/explain', {
      body: {
        calls: [
          'https://example.com',
          'https://a.example.com/x',
          'https://bad.example.com',
          'https://other.example',
          'file:///etc/passwd',
        ].map((url) => ({ tool: 'WebFetch', input: { url, prompt: 'x' } })),
        allow: ['WebFetch'],
      },
    })
    expect(urls.body.decisions.map(({ decision }) => decision)).toEqual(['allow', 'allow', 'deny', 'deny', 'deny'])
  })

  it('limits the MCP servers that folders add', async () => {
    server = await teamServer()
    const folder = server.workspace.path
    mkdirSync(path.join(folder, '.troupe'), { recursive: true })
    const servers = { good: { url: 'https://mcp.example.com/files' }, bad: { url: 'https://evil.example/files' } }
    writeFileSync(path.join(folder, '.mcp.json'), JSON.stringify({ mcpServers: servers }))
    await server.as('admin').json('/ai/workspace', { method: 'PATCH', body: { trusted: true } })
    const preview = await server.as('admin').json<{ mcpServers: string[] }>('/ai/policy/preview', {
      body: { policy: { mcpServers: ['https://mcp.example.com/*'] } },
    })
    expect(preview.body.mcpServers).toEqual(['bad'])
    await set({ mcpServers: ['https://mcp.example.com/*'] })
    const { servers: shown } = (
      await server.as('ann').json<{ servers: { name: string; problem?: string }[] }>('/ai/mcp')
    ).body
    expect(JSON.stringify(shown.find(({ name }) => name === 'bad'))).toContain('policy of the organization')
    expect(JSON.stringify(shown.find(({ name }) => name === 'good'))).not.toContain('policy of the organization')
  })

  it('says what a policy would block before it applies', async () => {
    server = await teamServer()
    const ann = server.as('ann')
    server.script('look', bash('ls'))
    await ann.json('/ai/sessions', { body: { id: 's1', mode: 'accept-edits' } })
    await ann.chat('s1', 'look')
    const { body } = await server.as('admin').json<Record<string, unknown>>('/ai/policy/preview', {
      body: { policy: { permissions: { deny: ['Bash'] }, models: ['shop/*'], modes: ['default'] } },
    })
    expect(body).toMatchObject({
      checked: 1,
      calls: [{ tool: 'Bash', before: 'allow', after: 'deny', count: 1 }],
      models: ['test/script'],
      modes: [{ mode: 'accept-edits', chats: 1 }],
    })
    expect((await server.as('ann').json('/ai/policy')).body).toMatchObject({ policy: {} })
    // Models that are already forbidden are not listed. Calls that would be allowed again are.
    await set({ permissions: { deny: ['Bash'] }, models: ['shop/*'] })
    const { body: back } = await server.as('admin').json<Record<string, unknown>>('/ai/policy/preview', {
      body: { policy: { models: ['shop/*'] } },
    })
    expect(back).toMatchObject({ calls: [{ tool: 'Bash', before: 'deny', after: 'allow' }], models: [] })
    expect((await ann.json('/ai/policy/preview', { body: { policy: {} } })).status).toBe(403)
  })
})
