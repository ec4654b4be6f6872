import { mkdirSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { json, openPage, refuseAll, send } from '../testing/requests.ts'
import { testServer, type TestServer, userMessage } from '../testing/test-server.ts'

let server: TestServer
let other: string
let scope: string
beforeAll(async () => {
  server = await testServer()
  other = path.join(server.homePath, '..', 'other')
  scope = `?workspace=${encodeURIComponent(other)}`
  mkdirSync(path.join(other, '.troupe', 'tools'), { recursive: true })
  const tool = `import { defineTool } from '@troupe/core'
    import { z } from 'zod'
    export default defineTool({ description: 'Greets.', input: z.object({}), readOnly: true, group: 'test', execute: () => 'hi' })`
  writeFileSync(path.join(other, '.troupe', 'tools', 'greet.ts'), tool)
})
afterAll(() => server.close())

it('a program can work in another folder, and its sessions are visible only there', async () => {
  const { body } = await server.json<{ workspace: { id: string; path: string; trusted: boolean } }>(
    `/ai/workspace?path=${encodeURIComponent(other)}`,
  )
  expect(body.workspace).toMatchObject({ path: other, trusted: false })
  const answer = await server.chat('elsewhere', userMessage('hello there', 'x1'), { workspace: other })
  expect(answer.status).toBe(200)
  expect(JSON.stringify(server.model.calls.at(-1)?.prompt[0])).toContain(other)
  const ids = async (target: string) =>
    (await server.json<{ sessions: { id: string }[] }>(target)).body.sessions.map(({ id }) => id)
  expect(await ids(`/ai/sessions${scope}`)).toEqual(['elsewhere'])
  expect(await ids(`/ai/sessions${scope}&q=hello`)).toEqual(['elsewhere'])
  expect(await ids('/ai/sessions')).toEqual([])
  expect(await ids('/ai/sessions?q=hello')).toEqual([])
  for (const target of ['/ai/sessions/elsewhere', '/ai/sessions/elsewhere/messages', '/ai/debug/elsewhere']) {
    expect((await server.json(`${target}${scope}`)).status).toBe(200)
    expect(await server.json(target)).toMatchObject({ status: 404, body: { error: { name: 'SessionNotFound' } } })
  }
  const requests = [
    () => send(server, 'PATCH', '/ai/sessions/elsewhere', { headers: json, body: '{"title":"mine"}' }),
    () => send(server, 'DELETE', '/ai/sessions/elsewhere'),
    () => send(server, 'DELETE', '/ai/sessions/elsewhere/messages/x1'),
    () => send(server, 'POST', '/ai/chat/elsewhere/stop'),
    () => send(server, 'GET', '/ai/chat/elsewhere/stream'),
    () => send(server, 'GET', '/ai/asks?sessionId=elsewhere'),
    () =>
      send(server, 'POST', '/ai/chat', {
        headers: json,
        body: JSON.stringify({ id: 'elsewhere', messages: [userMessage('in')] }),
      }),
    () =>
      send(server, 'POST', '/ai/chat', {
        headers: json,
        body: JSON.stringify({ id: 'elsewhere', trigger: 'regenerate-message' }),
      }),
  ]
  await refuseAll(server, requests, ({ name }) => expect(name).toBe('SessionNotFound'))
  expect((await server.json(`/ai/sessions/elsewhere${scope}`, { method: 'DELETE' })).status).toBe(200)
})

it('asks of another folder are neither shown nor answered from here', async () => {
  server.script('ask', [[{ call: { name: 'TestApproval', input: {} } }], [{ text: 'ok' }]])
  await server.chat('asking', 'ask', { workspace: other })
  const there = await server.json<{ asks: { id: string }[] }>(`/ai/asks${scope}`)
  expect(there.body.asks).toHaveLength(1)
  expect((await server.json<{ asks: [] }>('/ai/asks')).body.asks).toEqual([])
  const target = `/ai/asks/${there.body.asks[0]!.id}`
  const body = { answer: { type: 'approve' } }
  expect(await server.json(target, { body })).toMatchObject({ status: 404, body: { error: { name: 'AskNotFound' } } })
  const { done } = server.runs.get('asking')!
  expect((await server.json(`${target}${scope}`, { body })).status).toBe(200)
  await done
})

it('a folder’s extensions take effect after it is trusted, and only there', async () => {
  const names = async (target: string) =>
    (await server.json<{ tools: { name: string }[] }>(target)).body.tools.map(({ name }) => name)
  expect(await names(`/ai/tools${scope}`)).not.toContain('Greet')
  const trusted = await server.json(`/ai/workspace${scope}`, { method: 'PATCH', body: { trusted: true } })
  expect(trusted.body).toMatchObject({ workspace: { path: other, trusted: true } })
  expect(await names(`/ai/tools${scope}`)).toContain('Greet')
  expect(await names('/ai/tools')).not.toContain('Greet')
  server.script('greet', [[{ call: { name: 'Greet', input: {} } }], [{ text: 'done' }]])
  expect((await server.chat('greeting', 'greet', { workspace: other })).message.parts).toContainEqual(
    expect.objectContaining({ type: 'tool-Greet', output: 'hi' }),
  )
  const here = await server.chat('greeting-here', 'greet')
  expect(here.message.parts).toContainEqual(
    expect.objectContaining({ state: 'output-error', errorText: expect.stringContaining('Greet') as string }),
  )
  await server.json(`/ai/workspace${scope}`, { method: 'PATCH', body: { trusted: false } })
  expect(await names(`/ai/tools${scope}`)).not.toContain('Greet')
})

it('a page can use the folders that were opened, by path or id, until they are removed from the list', async () => {
  const page = { authorization: `Page ${(await openPage(server)).credential}` }
  const { body } = await server.json<{ workspaces: { id: string; path: string }[] }>('/ai/workspaces')
  const known = body.workspaces.find((one) => one.path === other)!
  const read = (name: string) =>
    send(server, 'GET', `/ai/sessions?workspace=${encodeURIComponent(name)}`, { headers: page })
  expect([(await read(other)).status, (await read(known.id)).status]).toEqual([200, 200])
  expect(await read(path.dirname(other))).toMatchObject({ status: 403, name: 'FolderNotOpen' })
  expect(await read('w_nobody')).toMatchObject({ status: 404, name: 'WorkspaceNotFound' })
  await server.json(`/ai/workspaces/${known.id}`, { method: 'DELETE' })
  expect([(await read(other)).status, (await read(known.id)).status]).toEqual([403, 404])
  expect((await server.json(`/ai/sessions?workspace=${known.id}`)).status).toBe(200)
  const refused = await server.json(`/ai/workspaces/${server.workspace.id}`, { method: 'DELETE' })
  expect(refused).toMatchObject({ status: 409, body: { error: { name: 'OwnWorkspace' } } })
})

it('a folder must be there', async () => {
  const page = { authorization: `Page ${(await openPage(server)).credential}` }
  const own = `?workspace=${encodeURIComponent(server.workspace.path)}`
  expect((await send(server, 'GET', `/ai/sessions${own}`, { headers: page })).status).toBe(200)
  const bad = [
    'relative',
    '',
    '..',
    '/nowhere/at/all',
    path.join(server.homePath, 'token'),
    `${other}\0`,
    `/${'x'.repeat(300)}`,
    `/${'x'.repeat(5000)}`,
  ]
  const refusals = await refuseAll(
    server,
    bad.map((folder) => () => send(server, 'GET', `/ai/sessions?workspace=${encodeURIComponent(folder)}`)),
  )
  expect(refusals.every(({ name }) => name === 'BadWorkspace')).toBe(true)
  await refuseAll(
    server,
    [7, null, {}, ['x']].map(
      (workspace) => () =>
        send(server, 'POST', '/ai/chat', {
          headers: json,
          body: JSON.stringify({ id: 's', messages: [userMessage('x')], workspace }),
        }),
    ),
  )
})
