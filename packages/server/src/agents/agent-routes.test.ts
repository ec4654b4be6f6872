import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { scriptedModel, type ScriptTurn } from '@troupe/core/testing'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { testServer, type TestServer } from '../testing/test-server.ts'

const definition = { systemPrompt: 'You review.', toolKeys: ['Read', 'grep-files', 'sub-agent'] }
const json = (method: string, body?: object): RequestInit => ({
  method,
  headers: { 'content-type': 'application/json' },
  ...(body !== undefined && { body: JSON.stringify(body) }),
})

describe('definitions of agents', () => {
  let server: TestServer
  beforeAll(async () => {
    server = await testServer()
    mkdirSync(path.join(server.homePath, 'agents'))
    writeFileSync(
      path.join(server.homePath, 'agents', 'shy.md'),
      '---\ndescription: Hides.\nhidden: true\n---\n\nYou are shy.',
    )
  })
  afterAll(() => server.close())

  const list = async (): Promise<{ name: string; source: string; enabled: boolean; hidden?: true; note?: string }[]> =>
    ((await (await server.fetch('/ai/agents')).json()) as { agents: [] }).agents

  it('are listed with the built-in ones', async () => {
    const agents = await list()
    expect(agents.find(({ name }) => name === 'explore')).toMatchObject({ source: 'built-in', enabled: true })
    expect(agents.find(({ name }) => name === 'email')?.note).toContain('do not exist yet')
  })

  it('that are hidden are marked in the list, not available in menus, and work by name', async () => {
    const agents = await list()
    expect(agents.filter(({ hidden }) => hidden).map(({ name }) => name)).toEqual(['shy'])
    server.script('who', [[{ text: 'I am here.' }]])
    const told = await server.chat('named', '/agent')
    expect(JSON.stringify(told.message)).toContain('explore')
    expect(JSON.stringify(told.message)).not.toContain('shy')
    const set = await server.chat('named', '/agent shy')
    expect(JSON.stringify(set.message)).toContain('This chat now uses the agent `shy`.')
    const { message } = await server.chat('named', 'who')
    expect(message.parts).toContainEqual(expect.objectContaining({ type: 'text', text: 'I am here.' }))
    await server.chat('other', 'who')
    expect(JSON.stringify(server.model.calls.at(-1)?.prompt)).toContain('- explore: ')
    expect(JSON.stringify(server.model.calls.at(-1)?.prompt)).not.toContain('shy')
  })

  it('in files are changed there, if they are valid and unchanged; no other file is read', async () => {
    const file = path.join(server.homePath, 'agents', 'shy.md')
    const read = async (at: string): Promise<{ status: number; body: { text: string; version: string } }> => {
      const response = await server.fetch(`/ai/agent-files?path=${encodeURIComponent(at)}`)
      return { status: response.status, body: (await response.json()) as { text: string; version: string } }
    }
    const write = async (text: string, version: string): Promise<{ status: number; name?: string }> => {
      const response = await server.fetch('/ai/agent-files', json('PATCH', { path: file, text, version }))
      const { error } = (await response.json()) as { error?: { name: string } }
      return { status: response.status, name: error?.name }
    }
    const { body } = await read(file)
    expect(body.text).toContain('You are shy.')
    expect((await read(path.join(server.homePath, 'config.json'))).status).toBe(404)
    expect(await write('No front matter.', body.version)).toMatchObject({ status: 422, name: 'InvalidAgent' })
    const next = body.text.replace('You are shy.', 'You are very shy.')
    expect(await write(next, 'an older one')).toMatchObject({ status: 409, name: 'FileChanged' })
    expect((await write(next, body.version)).status).toBe(200)
    expect(readFileSync(file, 'utf8')).toContain('You are very shy.')
    writeFileSync(file, body.text)
  })

  it('with pages are available only while one of them is open; an empty list has no effect', async () => {
    server.script('pages', [
      [
        { call: { name: 'Task', input: { name: 'bound', task: 'x' } } },
        { call: { name: 'Task', input: { name: 'free', task: 'x' } } },
      ],
    ])
    await server.fetch('/ai/agents', json('POST', { name: 'bound', ...definition, pageIds: ['home', 'cart'] }))
    await server.fetch('/ai/agents', json('POST', { name: 'free', ...definition, pageIds: [] }))
    const send = async (sessionId: string, pageId?: string): Promise<string> => {
      const message = { id: `${sessionId}-${pageId}`, role: 'user', parts: [{ type: 'text', text: 'pages' }] }
      const page = pageId === undefined ? {} : { pageId }
      const body = { sessionId, message, responseMode: 'json', ...page }
      return (await server.fetch('/ai/chat', json('POST', body))).text()
    }
    const told = (): string => {
      const call = server.model.calls.findLast(({ prompt }) => JSON.stringify(prompt).includes('Agents for Task'))
      return JSON.stringify(call?.prompt)
    }
    for (const [page, isOpen] of [
      [undefined, false],
      ['home', true],
      ['other', false],
      ['cart', true],
    ] as const) {
      const answer = await send('pages', page)
      expect(told().includes('- bound:')).toBe(isOpen)
      expect(told()).toContain('- free:')
      expect(answer.includes('only works while one of these pages is open: home, cart')).toBe(!isOpen)
      expect(answer).not.toContain('There is no agent')
    }
    for (const name of ['bound', 'free']) await server.fetch(`/ai/agents/${name}`, json('DELETE'))
  })

  it('that are off report the reason when someone delegates or talks to them', async () => {
    server.script('mail', [[{ call: { name: 'Task', input: { name: 'email', task: 'x' } } }]])
    const { message } = await server.chat('mail', 'mail')
    expect(JSON.stringify(message)).toMatch(
      /NOT_FOUND: The agent \\"email\\" is off\. Unavailable: its tools \(email\) do not exist yet/,
    )
    const body = {
      sessionId: 'mail2',
      agent: 'email',
      message: { id: 'm', role: 'user', parts: [{ type: 'text', text: 'x' }] },
    }
    expect(await (await server.fetch('/ai/chat', json('POST', body))).text()).toContain('is off')
  })

  it('named master are reported as a problem', async () => {
    const file = path.join(server.homePath, 'agents', 'master.md')
    writeFileSync(file, '---\ndescription: Mine.\n---\n\nYou are mine.')
    const { problems } = (await (await server.fetch('/ai/agents')).json()) as { problems: { path: string }[] }
    expect(problems).toContainEqual({
      path: file,
      message: expect.stringContaining('The master agent cannot be changed'),
    })
    rmSync(file)
  })

  it('make as many model calls with tools as they may, and one without for a summary', async () => {
    await server.fetch(
      '/ai/agents',
      json('POST', { name: 'limited', systemPrompt: 'LIMITED', toolKeys: ['TimeNow'], maxSteps: 2 }),
    )
    const before = server.model.calls.length
    server.script('limit', [[{ call: { name: 'Task', input: { name: 'limited', task: 'use it for ever' } } }]])
    const forever = Array.from({ length: 9 }, () => [{ call: { name: 'TimeNow', input: {} } }])
    server.script('use it for ever', forever)
    const { message } = await server.chat('limit', 'limit')
    const calls = server.model.calls.slice(before).filter(({ prompt }) => JSON.stringify(prompt[0]).includes('LIMITED'))
    expect(calls.map(({ tools }) => tools?.length ?? 0)).toEqual([1, 1, 0])
    expect(JSON.stringify(message)).toContain('You said: You ended without an answer.')
    expect(JSON.stringify(message)).toContain('The turn reached its limit of 2 steps.')
    await server.fetch('/ai/agents/limited', json('DELETE'))
  })

  it('of Claude Code are agents of a trusted project, without missing tools', async () => {
    const folder = path.join(server.workspace.path, '.claude', 'agents')
    mkdirSync(folder, { recursive: true })
    const file = path.join(folder, 'auditor.md')
    writeFileSync(
      file,
      '---\nname: auditor\ndescription: Audits.\ntools: Read, LS, Oracle\nmodel: opus\n---\nYou audit.',
    )
    expect((await list()).some(({ name }) => name === 'auditor')).toBe(false)
    await server.store.workspaces.trust(server.workspace.id, true)
    const found = (await (await server.fetch('/ai/agents')).json()) as {
      agents: { name: string }[]
      problems: object[]
    }
    expect(found.agents.find(({ name }) => name === 'auditor')).toMatchObject({
      source: 'project',
      enabled: true,
      tools: ['Read', 'ListDir', 'Oracle'],
    })
    expect(found.problems).toEqual([
      { path: file, message: expect.stringContaining('"opus"') as string },
      { path: file, message: 'Unknown tools or groups: Oracle.' },
    ])
    await server.store.workspaces.trust(server.workspace.id, false)
  })

  it('are made, changed and deleted', async () => {
    expect((await server.fetch('/ai/agents', json('POST', { name: 'reviewer', ...definition }))).status).toBe(201)
    expect((await server.fetch('/ai/agents', json('POST', { name: 'reviewer', ...definition }))).status).toBe(409)
    const patched = await server.fetch('/ai/agents/reviewer', json('PATCH', { enabled: false, allowedSubAgents: [] }))
    expect(await patched.json()).toMatchObject({ agent: { name: 'reviewer', enabled: false, allowedSubAgents: [] } })
    expect((await list()).find(({ name }) => name === 'reviewer')).toMatchObject({ source: 'database', enabled: false })
    expect((await server.fetch('/ai/agents/reviewer', json('DELETE'))).status).toBe(200)
    expect((await server.fetch('/ai/agents/reviewer', json('DELETE'))).status).toBe(404)
  })

  it('keep the fields that a change does not name', async () => {
    const body = { name: 'kept', ...definition, description: 'reviews', params: { temperature: 0.2 } }
    await server.fetch('/ai/agents', json('POST', body))
    await server.fetch('/ai/agents/kept', json('PATCH', { enabled: false }))
    await server.fetch('/ai/agents/kept', json('PATCH', { maxSteps: 3 }))
    expect((await list()).find(({ name }) => name === 'kept')).toMatchObject({
      enabled: false,
      description: 'reviews',
      tools: definition.toolKeys,
      params: { temperature: 0.2 },
      maxSteps: 3,
    })
    await server.fetch('/ai/agents/kept', json('PATCH', { params: null }))
    expect((await list()).find(({ name }) => name === 'kept')).not.toHaveProperty('params')
  })

  it('that are built in or files are turned off in the settings, and no file is touched', async () => {
    const file = path.join(server.home.path, 'agents', 'writer.md')
    const text = '---\ndescription: writes\nbudget: { seconds: 60 }\n---\nYou write.\n'
    mkdirSync(path.dirname(file), { recursive: true })
    writeFileSync(file, text)
    for (const name of ['explore', 'writer']) {
      const off = await server.fetch(`/ai/agents/${name}`, json('PATCH', { enabled: false }))
      expect(await off.json()).toMatchObject({ agent: { name, enabled: false, turnedOff: true } })
    }
    const settings = () => JSON.parse(readFileSync(path.join(server.home.path, 'config.json'), 'utf8')) as object
    expect(settings()).toMatchObject({ disabledAgents: ['explore', 'writer'] })
    expect(readFileSync(file, 'utf8')).toBe(text)
    const message = { id: 'u1', role: 'user', parts: [{ type: 'text', text: 'go' }] }
    const refused = await server.fetch('/ai/chat', json('POST', { sessionId: 'off', message, agent: 'explore' }))
    expect(refused.status).toBe(404)
    await server.fetch('/ai/agents/Explore', json('PATCH', { enabled: true }))
    await server.fetch('/ai/agents/writer', json('PATCH', { enabled: true }))
    expect(settings()).not.toHaveProperty('disabledAgents')
    expect((await list()).find(({ name }) => name === 'explore')).toMatchObject({ source: 'built-in', enabled: true })
    expect((await list()).find(({ name }) => name === 'explore')).not.toHaveProperty('turnedOff')
  })

  it('that are built in or files are changed as your own version, which overrides them', async () => {
    for (const [name, source] of [
      ['explore', 'built-in'],
      ['writer', 'home'],
    ] as const) {
      const before = (await list()).find((one) => one.name === name)
      const changed = await server.fetch(`/ai/agents/${name}`, json('PATCH', { systemPrompt: 'You do it my way.' }))
      expect(changed.status).toBe(200)
      const [own, original] = (await list()).filter((one) => one.name === name)
      const { note: _, source: __, ...same } = before as unknown as Record<string, unknown>
      const { languages: ___, path: ____, ...expected } = same
      expect(own).toMatchObject({ ...expected, source: 'database', enabled: true, systemPrompt: 'You do it my way.' })
      expect(original).toMatchObject({ source, enabled: false, note: expect.stringContaining('Overridden') as string })
      await server.fetch(`/ai/agents/${name}`, json('DELETE'))
      expect((await list()).filter((one) => one.name === name)).toEqual([before])
    }
  })

  it('that are turned off stay off after a change', async () => {
    await server.fetch('/ai/agents/explore', json('PATCH', { enabled: false }))
    await server.fetch('/ai/agents/explore', json('PATCH', { maxSteps: 3 }))
    const own = (await list()).find(({ name }) => name === 'explore')
    expect(own).toMatchObject({ source: 'database', enabled: false, maxSteps: 3 })
    await server.fetch('/ai/agents/explore', json('DELETE'))
    await server.fetch('/ai/agents/explore', json('PATCH', { enabled: true }))
    expect((await list()).find(({ name }) => name === 'explore')).toMatchObject({ source: 'built-in', enabled: true })
  })

  it('the master cannot be changed or turned off', async () => {
    for (const body of [{ enabled: false }, { systemPrompt: 'You are somebody else.' }]) {
      const answer = await server.fetch('/ai/agents/master', json('PATCH', body))
      expect([answer.status, await answer.text()]).toEqual([422, expect.stringContaining('make a copy')])
    }
    expect((await list()).find(({ name }) => name === 'master')).toMatchObject({ source: 'built-in', enabled: true })
  })

  it.each([
    ['a built-in name', { name: 'Explore', ...definition }, 409, 'built-in'],
    ['an alias of one', { name: 'BrowserSubAgent', ...definition }, 409, 'built-in'],
    ['a slash', { name: 'a/b', ...definition }, 422, 'not a valid agent name'],
    ['dots', { name: '..', ...definition }, 422, 'not a valid agent name'],
    ['an unknown tool', { name: 'x', systemPrompt: 'x', toolKeys: ['Read', 'NoSuchTool'] }, 422, 'NoSuchTool'],
    ['no prompt', { name: 'x', toolKeys: [] }, 400, 'systemPrompt'],
    ['a prompt of a megabyte', { name: 'x', systemPrompt: 'x'.repeat(1 << 20), toolKeys: [] }, 400, '64,000'],
  ])('are refused with %s', async (_, body, status, said) => {
    const response = await server.fetch('/ai/agents', json('POST', body))
    const text = await response.text()
    expect([response.status, text]).toEqual([status, expect.stringContaining(said)])
    if (status !== 400) expect(text).toContain(`"field":"${said === 'NoSuchTool' ? 'toolKeys' : 'name'}"`)
  })

  it('with a long prompt are saved with a warning', async () => {
    const body = { name: 'wordy', systemPrompt: 'many words '.repeat(1000), toolKeys: [] }
    const response = await server.fetch('/ai/agents', json('POST', body))
    expect(response.status).toBe(201)
    expect(await response.json()).toMatchObject({ agent: { note: expect.stringContaining('tokens') as string } })
  })
})

describe('sub-agents of a session', () => {
  let server: TestServer
  const script = (prompt: readonly { role: string; content: unknown }[]): ScriptTurn => {
    const system = String(prompt.find(({ role }) => role === 'system')?.content)
    if (system.startsWith('You report')) return [{ text: 'All is well.' }]
    return prompt.at(-1)?.role === 'user'
      ? [{ call: { name: 'Task', input: { name: 'reporter', task: 'report' } } }]
      : [{ text: 'Heard.' }]
  }
  beforeAll(async () => {
    server = await testServer({ models: { 'test/script': scriptedModel((prompt) => script(prompt)) } })
    mkdirSync(path.join(server.home.path, 'agents'), { recursive: true })
    writeFileSync(
      path.join(server.home.path, 'agents', 'reporter.md'),
      '---\ndescription: reports\nagents: []\n---\nYou report.\n',
    )
  })
  afterAll(() => server.close())

  it('are listed, read, given more input, and forked into a session', async () => {
    const { events } = await server.chat('tree', 'go')
    const envelope = events.map(({ chunk }) => chunk).filter(({ type }) => type.startsWith('data-sub-agent'))
    expect(envelope[0]).toMatchObject({ type: 'data-sub-agent-start', data: { name: 'reporter', task: 'report' } })
    const listed = (await (await server.fetch('/ai/sessions/tree/agents')).json()) as { agents: { agentId: string }[] }
    expect(listed.agents).toMatchObject([{ name: 'reporter', status: 'completed', parentAgentId: null, steps: 1 }])
    expect(JSON.stringify(listed)).not.toContain('You report')
    expect(listed.agents[0]).toMatchObject({
      startedAt: expect.any(Number) as number,
      elapsedMs: expect.any(Number) as number,
    })
    const at = `/ai/sessions/tree/agents/${listed.agents[0]?.agentId}`
    const page = (await (await server.fetch(`${at}/messages`)).json()) as { messages: { role: string }[] }
    expect(page.messages.map(({ role }) => role)).toEqual(['user', 'assistant'])
    expect((await server.fetch(`${at}/stream`)).status).toBe(204)
    expect((await server.fetch(`${at}/stop`, json('POST', {}))).status).toBe(409)
    expect((await server.fetch(`${at}/input`, json('POST', { id: 'more', text: 'and?' }))).status).toBe(202)
    await expect
      .poll(async () => ((await (await server.fetch(`${at}/messages`)).json()) as typeof page).messages.length)
      .toBe(4)
    const forked = await server.fetch(`${at}/fork`, json('POST', {}))
    expect(forked.status).toBe(201)
    const { session } = (await forked.json()) as { session: { id: string; agent: string } }
    expect(session.agent).toBe('reporter')
    const copied = await server.fetch(`/ai/sessions/${session.id}/messages`)
    expect(((await copied.json()) as typeof page).messages).toHaveLength(4)
    expect((await server.fetch('/ai/sessions/tree/agents/nobody/messages')).status).toBe(404)
    await server.fetch('/ai/sessions/tree', json('PATCH', { trashed: true }))
    const trashed = await server.fetch(`${at}/input`, json('POST', { id: 'late', text: 'still there?' }))
    expect(trashed.status).toBe(409)
    expect(await trashed.text()).toContain('SessionTrashed')
  })

  it('an unknown agent for a session is a clear error', async () => {
    const message = { id: 'u1', role: 'user', parts: [{ type: 'text', text: 'go' }] }
    const response = await server.fetch('/ai/chat', json('POST', { sessionId: 'odd', message, agent: 'nobody' }))
    expect(response.status).toBe(404)
    expect(await response.text()).toContain('AgentNotFound')
  })
})
