import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import type { Ask } from '@troupe/core'
import { scriptedModel } from '@troupe/core/testing'
import { afterEach, describe, expect, it } from 'vitest'
import { testServer, type TestServer, type TestServerOptions } from '../testing/test-server.ts'

interface Rule {
  id: string
  text: string
  effect: string
  layer: string
  file: string | null
  editable: boolean
  problem?: string
}

const open: TestServer[] = []
afterEach(async () => {
  for (const server of open.splice(0)) await server.close()
})

/** Scripts a session in which `npm test` waits for approval. */
async function start(options: TestServerOptions = {}): Promise<TestServer> {
  const server = await testServer(options)
  open.push(server)
  server.script('test', [[{ call: { name: 'Bash', input: { command: 'npm test' } } }], [{ text: 'Tested.' }]])
  server.script('deploy', [[{ call: { name: 'Bash', input: { command: 'npm run deploy' } } }], [{ text: 'Gone.' }]])
  return server
}

async function waiting(server: TestServer, sessionId: string, text = 'test'): Promise<Ask> {
  await server.chat(sessionId, text)
  const [ask] = (await server.json<{ asks: Ask[] }>(`/ai/asks?sessionId=${sessionId}`)).body.asks
  return ask as Ask
}

const give = (server: TestServer, ask: Ask, answer: object): Promise<{ status: number; body: never }> =>
  server.json(`/ai/asks/${ask.id}`, { body: { answer } })

const rules = async (server: TestServer, sessionId?: string): Promise<Rule[]> =>
  (await server.json<{ rules: Rule[] }>(`/ai/rules${sessionId === undefined ? '' : `?sessionId=${sessionId}`}`)).body
    .rules

const home = (server: TestServer, name: string): never =>
  JSON.parse(readFileSync(path.join(server.homePath, name), 'utf8')) as never

describe('an answer that is remembered', () => {
  it('for the session applies only there, is stored with it and deleted with it', async () => {
    const server = await start()
    const ask = await waiting(server, 's')
    expect(ask).toMatchObject({ remember: ['Bash(npm test)'], commands: [{ text: 'npm test' }] })
    const ended = server.runs.get('s')!.done
    expect(await give(server, ask, { type: 'approve', remember: 'session' })).toMatchObject({
      status: 200,
      body: { ask: { answer: { type: 'approve', remember: 'session' } }, settled: [] },
    })
    await ended
    expect((await server.chat('s', 'test')).types).not.toContain('tool-approval-request')
    expect(await rules(server, 's')).toMatchObject([
      { text: 'Bash(npm test)', effect: 'allow', layer: 'session', file: null, editable: true },
    ])
    expect(await rules(server)).toEqual([])
    expect(home(server, 'sessions/s/session.json')).toMatchObject({
      rules: [{ text: 'Bash(npm test)', effect: 'allow' }],
    })
    expect((await server.chat('other', 'test')).types).toContain('tool-approval-request')
    await server.request('/ai/sessions/s', { method: 'DELETE' })
    expect((await server.chat('s', 'test')).types).toContain('tool-approval-request')
  })

  it('for the project is stored in the home by folder, not in the project', async () => {
    const server = await start()
    const ended = waiting(server, 's').then(async (ask) => {
      const done = server.runs.get('s')!.done
      await give(server, ask, { type: 'approve', remember: 'project' })
      return done
    })
    await ended
    expect(home(server, 'rules.json')).toEqual({ [server.workspace.path]: { allow: ['Bash(npm test)'] } })
    expect(existsSync(path.join(server.workspace.path, '.troupe'))).toBe(false)
    expect((await server.chat('other', 'test')).types).not.toContain('tool-approval-request')
  })

  it('always is written to the config and keeps its other settings', async () => {
    const server = await start({ config: { limits: { steps: 9 }, permissions: { deny: ['WebFetch'] } } })
    const ask = await waiting(server, 's')
    const ended = server.runs.get('s')!.done
    await give(server, ask, { type: 'approve', remember: 'always' })
    await ended
    expect(home(server, 'config.json')).toEqual({
      limits: { steps: 9 },
      permissions: { deny: ['WebFetch'], allow: ['Bash(npm test)'] },
    })
  })

  it.each([
    ['session', ['s2']],
    ['project', ['s2', 'other']],
    ['always', ['s2', 'other', 'elsewhere']],
  ] as const)('for %s answers the open asks that it covers, and names the rule', async (scope, expected) => {
    const server = await start()
    const folder = path.join(server.homePath, '..', 'elsewhere')
    mkdirSync(folder, { recursive: true })
    const file = path.join(server.homePath, '..', 'outside.txt')
    writeFileSync(file, 'there')
    const read = { call: { name: 'Read', input: { file_path: file } } }
    server.script('read twice', [[read, read], [{ text: 'Read.' }]])
    server.script('read', [[read], [{ text: 'Read.' }]])
    await server.chat('s', 'read twice')
    await server.chat('other', 'read')
    await server.chat('unlike', 'deploy')
    await server.chat('elsewhere', 'read', { workspace: folder })
    const asks = await server.store.asks.list({ open: true })
    expect(asks).toHaveLength(5)
    const [first, second] = asks.filter(({ sessionId }) => sessionId === 's') as [Ask, Ask]
    const names: Record<string, string> = { [second.id]: 's2' }
    for (const ask of asks) names[ask.id] ??= ask.sessionId
    const { status, body } = (await give(server, first, { type: 'approve', remember: scope })) as {
      status: number
      body: { settled: string[] }
    }
    expect(status).toBe(200)
    expect(new Set(body.settled.map((id) => names[id]))).toEqual(new Set(expected))
    for (const id of body.settled) {
      expect(await server.store.asks.get(id)).toMatchObject({ answer: { type: 'approve', rule: first.remember![0] } })
    }
    expect(await server.store.asks.list({ open: true })).toHaveLength(5 - 1 - expected.length)
    await server.runs.get('s')?.done
    const { parts } = (await server.messages('s')).at(-1)!
    const reason = `The rule "${first.remember![0]}" allows it.`
    expect(parts).toContainEqual(
      expect.objectContaining({ approval: expect.objectContaining({ id: second.id, reason }) as object }),
    )
    expect(parts.filter((part) => 'state' in part && part.state === 'output-available')).toHaveLength(2)
  })

  it('can only be an offered rule, once, for an open ask', async () => {
    const server = await start()
    const ask = await waiting(server, 's')
    const before = server.written()
    for (const answer of [
      { type: 'approve', remember: 'forever' },
      { type: 'approve', remember: 'session', rule: 'Bash' },
      { type: 'approve', remember: ['Bash'] },
      { type: 'deny', remember: 'session' },
    ])
      expect((await give(server, ask, answer)).status).toBe(400)
    expect(await give(server, ask, { type: 'approve', input: { command: 7 } })).toMatchObject({
      status: 422,
      body: { error: { name: 'WrongInput' } },
    })
    expect(server.written()).toEqual(before)
    await server.request('/ai/chat/s/stop', { method: 'POST' })
    const closed = server.written()
    expect(await give(server, ask, { type: 'approve', remember: 'always' })).toMatchObject({ status: 409 })
    expect(server.written()).toEqual(closed)
  })

  it('is rejected if no rule would be safe, and the ask stays open', async () => {
    const server = await start()
    server.script('python', [
      [{ call: { name: 'Bash', input: { command: 'python3 -c "print(1)"' } } }],
      [{ text: 'Ran.' }],
    ])
    const ask = await waiting(server, 's', 'python')
    expect(ask.remember).toBeUndefined()
    const before = server.written()
    expect(await give(server, ask, { type: 'approve', remember: 'always' })).toMatchObject({
      status: 422,
      body: { error: { name: 'NothingToRemember' } },
    })
    expect(server.written()).toEqual(before)
  })

  it('is not accepted from an ask in an imported folder', async () => {
    const server = await start()
    await server.store.sessions.create({ id: 'planted', workspaceId: server.workspace.id })
    const planted = { ...(await waiting(server, 's')), id: 'planted', sessionId: 'planted', runId: 'run_none' }
    await server.store.asks.open({ ...planted, remember: ['Bash'] })
    expect(await give(server, planted, { type: 'approve', remember: 'always' })).toMatchObject({ status: 422 })
    expect(await rules(server)).toEqual([])
  })

  it('is offered again after a restart, and remembered then', async () => {
    const folder = mkdtempSync(path.join(tmpdir(), 'troupe-remember-'))
    const place = { home: path.join(folder, 'home'), workspace: path.join(folder, 'work') }
    const first = await testServer(place)
    first.script('test', [[{ call: { name: 'Bash', input: { command: 'npm test' } } }], [{ text: 'Tested.' }]])
    const ask = await waiting(first, 's')
    await first.close()
    const server = await start(place)
    const [again] = (await server.json<{ asks: Ask[] }>('/ai/asks?sessionId=s')).body.asks
    expect(again).toEqual(ask)
    const ended = server.runs.get('s')!.done
    expect((await give(server, ask, { type: 'approve', remember: 'session' })).status).toBe(200)
    await ended
    expect(await rules(server, 's')).toMatchObject([{ text: 'Bash(npm test)' }])
    await server.close()
    open.pop()
    const third = await start(place)
    expect((await third.chat('s', 'test')).types).not.toContain('tool-approval-request')
    rmSync(folder, { recursive: true })
  })

  it('is not remembered if it cannot be written, and the ask stays open', async () => {
    const server = await start()
    const ask = await waiting(server, 's')
    writeFileSync(path.join(server.homePath, 'rules.json'), '{')
    expect((await give(server, ask, { type: 'approve', remember: 'project' })).status).toBeGreaterThanOrEqual(400)
    expect(await server.store.asks.get(ask.id)).toMatchObject({ closedAt: null, answer: null })
    rmSync(path.join(server.homePath, 'rules.json'))
    const ended = server.runs.get('s')!.done
    expect((await give(server, ask, { type: 'approve', remember: 'project' })).status).toBe(200)
    await ended
  })
})

describe('/ai/rules', () => {
  it('lists active rules with their file and editability', async () => {
    const server = await start({ config: { permissions: { allow: ['TimeNow'], deny: ['Bash('] } } })
    const project = path.join(server.workspace.path, '.troupe')
    mkdirSync(project)
    writeFileSync(path.join(project, 'config.json'), JSON.stringify({ permissions: { ask: ['Grep'] } }))
    expect((await rules(server)).map(({ text }) => text)).toEqual(['Bash(', 'TimeNow'])
    await server.json('/ai/workspace', { method: 'PATCH', body: { trusted: true } })
    const listed = await rules(server)
    expect(listed).toMatchObject([
      { text: 'Bash(', effect: 'deny', layer: 'user', editable: true, problem: expect.any(String) as string },
      {
        text: 'TimeNow',
        effect: 'allow',
        layer: 'user',
        editable: true,
        file: path.join(server.homePath, 'config.json'),
      },
      { text: 'Grep', effect: 'ask', layer: 'project', editable: false, file: path.join(project, 'config.json') },
    ])
    const { body } = await server.json<{ warnings: string[]; sandbox: object; bypass: boolean }>('/ai/rules')
    expect(body).toMatchObject({ bypass: false, sandbox: { available: false } })
    expect(body.warnings).toEqual([expect.stringContaining('"Bash("')])
    const grep = listed[2]!
    expect(await server.json(`/ai/rules/${grep.id}`, { method: 'DELETE' })).toMatchObject({
      status: 403,
      body: { error: { name: 'RuleNotEditable' } },
    })
  })

  it('adds, changes and removes rules, in every scope', async () => {
    const server = await start()
    await server.json('/ai/sessions', { body: { id: 's' } })
    for (const scope of ['session', 'project', 'always'] as const) {
      const added = await server.json<{ rule: Rule }>('/ai/rules', {
        body: { text: ' Bash(npm test) ', scope, sessionId: 's' },
      })
      expect(added).toMatchObject({ status: 201, body: { rule: { effect: 'allow', editable: true }, settled: [] } })
    }
    expect((await rules(server, 's')).map(({ layer }) => layer).toSorted()).toEqual(['project', 'session', 'user'])
    await server.json('/ai/rules', { body: { text: 'Bash(npm test)', scope: 'always' } })
    expect(await rules(server, 's')).toHaveLength(3)
    for (const rule of await rules(server, 's')) {
      const changed = await server.json<{ rule: Rule }>(`/ai/rules/${rule.id}`, {
        method: 'PATCH',
        body: { effect: 'deny', sessionId: 's' },
      })
      expect(changed).toMatchObject({ status: 200, body: { rule: { effect: 'deny', layer: rule.layer } } })
      const gone = await server.json(`/ai/rules/${rule.id}?sessionId=s`, { method: 'DELETE' })
      expect(gone).toMatchObject({ status: 404, body: { error: { name: 'RuleNotFound' } } })
    }
    expect((await rules(server, 's')).map(({ effect }) => effect)).toEqual(['deny', 'deny', 'deny'])
    for (const rule of await rules(server, 's'))
      expect((await server.json(`/ai/rules/${rule.id}?sessionId=s`, { method: 'DELETE' })).status).toBe(200)
    expect(await rules(server, 's')).toEqual([])
  })

  it('a new rule answers open asks, and a deny rule does not', async () => {
    const server = await start()
    const ask = await waiting(server, 's')
    const denied = await server.json('/ai/rules', {
      body: { text: 'Bash(npm run *)', effect: 'deny', scope: 'always' },
    })
    expect(denied).toMatchObject({ status: 201, body: { settled: [] } })
    const ended = server.runs.get('s')!.done
    const allowed = await server.json('/ai/rules', { body: { text: 'Bash(npm test)', scope: 'always' } })
    expect(allowed).toMatchObject({ status: 201, body: { settled: [ask.id] } })
    await ended
    expect((await server.chat('d', 'deploy')).types).toContain('tool-output-denied')
  })

  it('a new rule answers asks of a model that knows tools by other names', async () => {
    const call = { name: 'shell', input: { command: ['bash', '-lc', 'npm test'] } }
    const model = scriptedModel([[{ call }], [{ text: 'Tested.' }]], { provider: 'test', modelId: 'codex' })
    const server = await start({ models: { 'test/codex': model } })
    await server.chat('s', 'test', { model: 'test/codex' })
    const ended = server.runs.get('s')?.done
    const [ask] = (await server.json<{ asks: Ask[] }>('/ai/asks?sessionId=s')).body.asks
    expect(ask).toMatchObject({ toolName: 'shell' })
    const allowed = await server.json('/ai/rules', { body: { text: 'Bash(npm test)', scope: 'always' } })
    expect(allowed).toMatchObject({ status: 201, body: { settled: [ask?.id] } })
    await ended
  })

  it('rejects an invalid rule, scope or session, and changes nothing', async () => {
    const server = await start()
    const before = server.written()
    const post = (body: object): Promise<{ status: number }> => server.json('/ai/rules', { body })
    expect(await post({ text: 'Bash(', scope: 'always' })).toMatchObject({
      status: 422,
      body: { error: { name: 'BadRule' } },
    })
    for (const body of [
      { text: 'Bash', scope: 'once' },
      { text: 'Bash' },
      { text: '', scope: 'always' },
      { text: 'Bash', scope: 'session' },
      { text: 'Bash', scope: 'always', effect: 'maybe' },
    ])
      expect((await post(body)).status).toBe(400)
    expect((await post({ text: 'Bash', scope: 'session', sessionId: 'nobody' })).status).toBe(404)
    expect((await server.json('/ai/rules/rule_x', { method: 'DELETE' })).status).toBe(404)
    expect(server.written()).toEqual(before)
  })

  it('warns about an unknown tool, and accepts the rule', async () => {
    const server = await start()
    const { body } = await server.json<{ warnings: string[] }>('/ai/rules', {
      body: { text: 'Bsh(ls)', scope: 'always' },
    })
    expect(body.warnings).toEqual([expect.stringContaining('Bsh')])
  })

  it('of the machine apply to all and cannot be changed here', async () => {
    const managed = path.join(path.dirname((await start()).homePath), 'managed.json')
    writeFileSync(managed, JSON.stringify({ permissions: { deny: ['Bash(npm test)'] } }))
    const server = await start({ managedConfig: managed, config: { permissions: { allow: ['Bash'] } } })
    expect((await server.chat('s', 'test')).types).toContain('tool-output-denied')
    const [rule] = await rules(server)
    expect(rule).toMatchObject({ layer: 'managed', editable: false })
    expect((await server.json(`/ai/rules/${rule!.id}`, { method: 'DELETE' })).status).toBe(403)
  })

  it('a project’s file that cannot be read makes everything ask until it can', async () => {
    const workspace = mkdtempSync(path.join(tmpdir(), 'troupe-broken-'))
    mkdirSync(path.join(workspace, '.troupe'))
    const file = path.join(workspace, '.troupe', 'config.json')
    writeFileSync(file, '{"permissions": {"deny": ["Bash(npm')
    const server = await start({ workspace })
    server.script('time', [[{ call: { name: 'TimeNow', input: {} } }], [{ text: 'Late.' }]])
    expect((await server.chat('a', 'time')).types.at(-1)).toBe('finish')
    await server.json('/ai/workspace', { method: 'PATCH', body: { trusted: true } })
    expect((await server.chat('b', 'time')).types).toContain('tool-approval-request')
    expect(server.lines.some((line) => line.includes('everything needs approval'))).toBe(true)
    writeFileSync(file, '{}')
    expect((await server.chat('c', 'time')).types.at(-1)).toBe('finish')
    writeFileSync(file, '{')
    expect((await server.chat('d', 'time')).types.at(-1)).toBe('finish')
    rmSync(workspace, { recursive: true })
  })
})

describe('POST /ai/rules/test', () => {
  it('returns the calls of this workspace that a rule would have changed, and saves nothing', async () => {
    const server = await start()
    await server.chat('a', 'test', { headless: true })
    await server.chat('b', 'deploy', { headless: true })
    server.script('time', [[{ call: { name: 'TimeNow', input: {} } }], [{ text: 'Late.' }]])
    await server.chat('c', 'time')
    const before = server.written()
    const { body } = await server.json<{ changes: object[] }>('/ai/rules/test', { body: { text: 'Bash(npm *)' } })
    expect(body).toMatchObject({
      calls: 3,
      before: { allow: 1, ask: 2, deny: 0 },
      after: { allow: 3, ask: 0, deny: 0 },
      changed: 2,
    })
    expect(body.changes).toContainEqual(
      expect.objectContaining({
        sessionId: 'a',
        toolName: 'Bash',
        input: { command: 'npm test' },
        before: expect.objectContaining({ decision: 'ask' }) as object,
        after: expect.objectContaining({ decision: 'allow', rule: 'Bash(npm *)' }) as object,
      }),
    )
    const several = {
      rules: [
        { text: 'TimeNow', effect: 'deny' },
        { text: 'Bash(npm test)', effect: 'allow' },
      ],
    }
    expect((await server.json('/ai/rules/test', { body: several })).body).toMatchObject({
      after: { allow: 1, ask: 1, deny: 1 },
    })
    expect((await server.json('/ai/rules/test', { body: { text: 'Bash(' } })).status).toBe(422)
    expect(server.written()).toEqual(before)
  })
})

describe('POST /ai/rules/explain', () => {
  it('returns decisions for tool calls, with the workspace’s rules and additional ones', async () => {
    const server = await start({ config: { permissions: { allow: ['Bash(npm test)'] } } })
    const calls = [
      { tool: 'Bash', input: { command: 'npm test' } },
      { tool: 'Bash', input: { command: 'npm run deploy' } },
      { tool: 'Bash', input: { command: 'rm -rf /' } },
      { tool: 'TimeNow', input: {} },
    ]
    const explain = async (more: object = {}): Promise<string[]> =>
      (
        await server.json<{ decisions: { decision: string }[] }>('/ai/rules/explain', { body: { calls, ...more } })
      ).body.decisions.map(({ decision }) => decision)
    expect(await explain()).toEqual(['allow', 'ask', 'deny', 'allow'])
    expect(await explain({ deny: ['Bash(npm *)'] })).toEqual(['deny', 'deny', 'deny', 'allow'])
    expect(await explain({ allow: ['Bash'] })).toEqual(['allow', 'allow', 'deny', 'allow'])
    expect(await explain({ mode: 'plan' })).toEqual(['deny', 'deny', 'deny', 'allow'])
    expect((await server.json('/ai/rules/explain', { body: { calls, mode: 'bypass' } })).status).toBe(403)
    expect((await server.json('/ai/rules/explain', { body: { calls, mode: 'x' } })).status).toBe(422)
  })
})
