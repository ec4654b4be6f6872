import { mkdirSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { afterEach, expect, it } from 'vitest'
import { testServer, type TestServer } from '../testing/test-server.ts'

let server: TestServer | undefined
afterEach(async () => {
  await server?.close()
  server = undefined
})

it('the start of every call is identical, byte for byte, over twenty turns', async () => {
  server = await testServer()
  writeFileSync(path.join(server.homePath, 'AGENTS.md'), 'Always be kind.')
  for (let turn = 0; turn < 20; turn++) {
    server.script(`turn ${turn}`, [[{ call: { name: 'Glob', input: { pattern: '*' } } }], [{ text: `answer ${turn}` }]])
    await server.chat('s', `turn ${turn}`)
    // Neither change may reach a session that has started.
    writeFileSync(path.join(server.homePath, 'AGENTS.md'), `Changed ${turn}.`)
  }
  const prompts = server.model.calls.map(({ prompt }) => prompt)
  expect(prompts).toHaveLength(40)
  expect(JSON.stringify(prompts[0])).toContain('Always be kind.')
  for (const [i, prompt] of prompts.entries()) {
    if (i === 0) continue
    const before = prompts[i - 1] as typeof prompt
    expect(JSON.stringify(prompt.slice(0, before.length))).toBe(JSON.stringify(before))
    expect(JSON.stringify(server.model.calls[i]?.tools)).toBe(JSON.stringify(server.model.calls[0]?.tools))
  }
})

it('notes of a project apply after it is trusted, nearest last', async () => {
  server = await testServer()
  const folder = server.workspace.path
  mkdirSync(path.join(folder, '.git'))
  writeFileSync(path.join(folder, 'CLAUDE.md'), 'Project rule.')
  writeFileSync(path.join(server.homePath, 'AGENTS.md'), 'Own rule.')
  await server.chat('before', 'hello')
  expect(JSON.stringify(server.model.calls.at(-1)?.prompt)).not.toContain('Project rule.')
  await server.store.workspaces.trust(server.workspace.id, true)
  await server.chat('after', 'hello')
  const text = JSON.stringify(server.model.calls.at(-1)?.prompt)
  expect(text.indexOf('Own rule.')).toBeGreaterThan(0)
  expect(text.indexOf('Project rule.')).toBeGreaterThan(text.indexOf('Own rule.'))
})

it('notes of subfolders are added with the first file read there, if the project is trusted', async () => {
  server = await testServer()
  const folder = path.join(server.workspace.path, 'sub')
  mkdirSync(folder)
  writeFileSync(path.join(folder, 'AGENTS.md'), 'Sub rule.')
  writeFileSync(path.join(folder, 'a.txt'), 'a')
  const readTwice = ['a.txt', 'a.txt'].map((name) => [{ call: { name: 'Read', input: { file_path: `sub/${name}` } } }])
  server.script('read', readTwice)
  const seen = (): number => JSON.stringify(server?.model.calls.at(-1)?.prompt).split('Sub rule.').length - 1
  await server.chat('before', 'read')
  expect(seen()).toBe(0)
  await server.store.workspaces.trust(server.workspace.id, true)
  await server.chat('after', 'read')
  expect(seen()).toBe(1)
})

interface XRay {
  pieces: { kind: string; name: string; tokens: number; changed?: boolean }[]
  total: { tokens: number }
  cache: { brokenBy: string | null }
}

it('the context view lists every piece of the next call, and the reason for a cache miss', async () => {
  server = await testServer()
  await server.chat('s', 'hello there')
  const read = async (): Promise<XRay> => (await (server as TestServer).json<XRay>('/ai/sessions/s/context')).body
  await expect.poll(async () => (await read()).cache.brokenBy).toBeNull()
  const { pieces, total, cache } = await read()
  expect(new Set(pieces.map(({ kind }) => kind))).toEqual(new Set(['tool', 'instructions', 'message']))
  expect(pieces.find(({ name }) => name === 'prompt of master')).toMatchObject({ changed: false })
  expect(pieces.filter(({ kind }) => kind === 'message').map(({ name }) => name)).toEqual([
    'user: hello there',
    'assistant',
  ])
  expect(total.tokens).toBeGreaterThan(500)
  expect(cache.brokenBy).toBeNull()
  await server.json('/ai/sessions/s', { method: 'PATCH', body: { mode: 'plan' } })
  expect((await read()).cache.brokenBy).toBe('tools')
  await server.chat('s', 'and now?')
  await expect.poll(async () => (await read()).cache.brokenBy).toBeNull()
  await server.json('/ai/sessions/s', { method: 'PATCH', body: { mode: 'default' } })
  expect((await read()).cache.brokenBy).toBe('tools')
  expect((await server.json('/ai/sessions/nowhere/context')).status).toBe(404)
})

it('skills, commands and mentions in a message are separate pieces', async () => {
  server = await testServer()
  mkdirSync(path.join(server.homePath, 'skills', 'pdf'), { recursive: true })
  const body = 'All about PDF. '.repeat(200)
  writeFileSync(
    path.join(server.homePath, 'skills', 'pdf', 'SKILL.md'),
    `---\nname: pdf\ndescription: About PDF.\n---\n${body}`,
  )
  writeFileSync(path.join(server.workspace.path, 'a.txt'), 'one')
  await server.chat('s', '/skill/pdf on @a.txt')
  await server.chat('s', 'and again @a.txt')
  const { pieces } = (await server.json<XRay>('/ai/sessions/s/context')).body
  const messages = pieces.filter(({ kind }) => kind === 'message')
  expect(messages.map(({ name }) => name)).toEqual([
    'skill pdf',
    'mention a.txt',
    'user: /skill/pdf on @a.txt',
    'assistant',
    'mention a.txt (2)',
    'user: and again @a.txt',
    'assistant',
  ])
  expect(messages[0]?.tokens).toBeGreaterThan(body.length / 5)
  expect(messages[2]?.tokens).toBeLessThan(50)
})

it('agents without the Skill tool do not see skills', async () => {
  server = await testServer()
  mkdirSync(path.join(server.homePath, 'skills', 'pdf'), { recursive: true })
  mkdirSync(path.join(server.homePath, 'agents'), { recursive: true })
  writeFileSync(
    path.join(server.homePath, 'skills', 'pdf', 'SKILL.md'),
    '---\nname: pdf\ndescription: About PDF.\n---\nx',
  )
  writeFileSync(
    path.join(server.homePath, 'agents', 'narrow.md'),
    '---\nname: narrow\ndescription: Reads.\ntools: [Read]\n---\nYou read.',
  )
  await server.chat('with', 'hello')
  expect(server.model.calls.at(-1)?.prompt[0]?.content).toContain('- pdf: About PDF.')
  await server.chat('without', 'hello', { agent: 'narrow' })
  expect(server.model.calls.at(-1)?.prompt[0]?.content).toContain('You read.')
  expect(server.model.calls.at(-1)?.prompt[0]?.content).not.toContain('About PDF.')
})

it('a compaction of any branch is switched off and on', async () => {
  server = await testServer()
  await server.chat('s', 'my name is Ada')
  await server.chat('s', 'and I like towers')
  const { message } = await server.chat('s', '/compact')
  const { id } = (message.parts.find(({ type }) => type === 'data-compaction') as { data: { id: string } }).data
  const [first] = await server.messages('s')
  await server.chat('s', 'somebody else', { parentMessageId: first?.id })
  const patch = (off: boolean, of = id): Promise<{ status: number; body: object }> =>
    (server as TestServer).json(`/ai/sessions/s/compactions/${of}`, { method: 'PATCH', body: { off } })
  expect(await patch(true)).toMatchObject({ status: 200, body: { compaction: { id, off: true } } })
  const stored = await server.store.messages.get({ sessionId: 's' }, message.id)
  expect(JSON.stringify(stored?.parts)).toContain('"off":true')
  expect((await patch(false)).body).not.toHaveProperty('compaction.off')
  expect(await patch(true, 'none')).toMatchObject({ status: 404 })
})

it('names the MCP servers in their own words, to agents that have their tools', async () => {
  const program = path.join(import.meta.dirname, '../../../core/testing/mcp-server.mjs')
  const files = { command: process.execPath, args: [program, 'good'] }
  server = await testServer({ config: { mcpServers: { files } }, env: { PATH: process.env['PATH'] } })
  mkdirSync(path.join(server.homePath, 'agents'), { recursive: true })
  writeFileSync(
    path.join(server.homePath, 'agents', 'narrow.md'),
    '---\nname: narrow\ndescription: Reads.\ntools: [Read]\n---\nYou read.',
  )
  await server.chat('with', 'hello')
  expect(server.model.calls.at(-1)?.prompt[0]?.content).toContain('- files (A test server): Use it well.')
  await server.chat('without', 'hello', { agent: 'narrow' })
  expect(server.model.calls.at(-1)?.prompt[0]?.content).not.toContain('Use it well.')
})

it('a context view before the first message has no effect', async () => {
  server = await testServer()
  await server.json('/ai/sessions', { body: { id: 'early' } })
  expect((await server.json('/ai/sessions/early/context')).status).toBe(200)
  writeFileSync(path.join(server.homePath, 'AGENTS.md'), 'Written after the look.')
  await server.chat('early', 'hello')
  expect(JSON.stringify(server.model.calls.at(-1)?.prompt)).toContain('Written after the look.')
})
