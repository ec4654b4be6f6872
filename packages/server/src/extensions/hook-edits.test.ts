import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import type { HookInfo } from '@troupe/protocol'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { testServer, type TestServer } from '../testing/test-server.ts'

let server: TestServer
beforeEach(async () => {
  server = await testServer({ config: { theme: 'mine', hooks: { 'run-end': [{ command: 'true', note: 'keep me' }] } } })
  server.script('time', [[{ call: { name: 'TimeNow', input: {} } }], [{ text: 'Late.' }]])
})
afterEach(() => server.close())

interface Answer {
  hook: HookInfo
  error?: { name: string; message: string; data: Record<string, unknown> }
}
const add = (body: object) => server.json<Answer>('/ai/hooks', { body })
const change = (id: string | undefined, body: object) =>
  server.json<Answer>(`/ai/hooks/${id}`, { method: 'PATCH', body })
const list = async () => (await server.json<{ hooks: HookInfo[] }>('/ai/hooks')).body.hooks
const isDenied = async (sessionId: string) =>
  (await server.chat(sessionId, 'time')).types.includes('tool-output-denied')
const homeFile = () =>
  JSON.parse(readFileSync(path.join(server.homePath, 'config.json'), 'utf8')) as Record<string, unknown>
const deny = { event: 'before-call', command: 'exit 2', match: ['TimeNow'] }

test('a hook is added, turned off, edited and deleted, and takes effect at once', async () => {
  const { status, body } = await add({ scope: 'home', ...deny })
  expect(status).toBe(201)
  expect(await isDenied('a')).toBe(true)
  const off = await change(body.hook.id, { enabled: false })
  expect(off.body.hook).toMatchObject({ enabled: false, match: ['TimeNow'] })
  expect(await isDenied('b')).toBe(false)
  const on = await change(off.body.hook.id, { enabled: true, event: 'after-call', match: null, timeoutMs: 5000 })
  expect(on.body.hook).toMatchObject({ event: 'after-call', timeoutMs: 5000, enabled: true })
  expect(on.body.hook.match).toBeUndefined()
  expect(homeFile()).toEqual({
    theme: 'mine',
    hooks: {
      'run-end': [{ command: 'true', note: 'keep me' }],
      'after-call': [{ command: 'exit 2', timeoutMs: 5000 }],
    },
  })
  await server.json(`/ai/hooks/${on.body.hook.id}`, { method: 'DELETE' })
  expect(await list()).toHaveLength(1)
})

test('an invalid hook is refused and says where it is wrong', async () => {
  const { status, body } = await add({ scope: 'home', ...deny, match: ['Bash', 'Bash('] })
  expect(status).toBe(422)
  expect(body.error).toMatchObject({ name: 'BadHook', data: { field: 'match' } })
  expect(body.error?.message).toContain('line 2')
  expect(await list()).toHaveLength(1)
})

test('a hook that changed on disk is neither changed nor deleted', async () => {
  const [known] = await list()
  const config = homeFile() as { hooks: Record<string, { command: string }[]> }
  config.hooks['run-end'] = [{ command: 'echo other' }]
  writeFileSync(path.join(server.homePath, 'config.json'), JSON.stringify(config))
  expect((await change(known?.id, { command: 'echo mine' })).body.error?.name).toBe('HookNotFound')
  expect(homeFile()).toMatchObject({ hooks: { 'run-end': [{ command: 'echo other' }] } })
})

test('a folder needs trust, keeps its other settings, and cannot redirect the write', async () => {
  const file = path.join(server.workspace.path, '.troupe', 'config.json')
  expect((await add({ scope: 'project', ...deny })).body.error?.name).toBe('FolderNotTrusted')
  await server.json('/ai/workspace', { method: 'PATCH', body: { trusted: true } })
  mkdirSync(path.dirname(file), { recursive: true })
  writeFileSync(file, '{\n    "mine": 1,\n    "model": "test/script"\n}\n')
  const { body } = await add({ scope: 'project', ...deny })
  expect(body.hook).toMatchObject({ scope: 'project', source: file })
  expect(readFileSync(file, 'utf8')).toMatch(/^\{\n {4}"mine": 1,\n {4}"model"/)
  expect(await isDenied('c')).toBe(true)
  writeFileSync(file, '{\n  "hooks": {]\n}')
  expect((await add({ scope: 'project', ...deny })).body.error?.message).toContain('line 2')
})

test('a linked folder for settings cannot lead out of the workspace', async () => {
  const outside = path.join(path.dirname(server.homePath), 'outside')
  mkdirSync(outside)
  symlinkSync(outside, path.join(server.workspace.path, '.troupe'))
  await server.json('/ai/workspace', { method: 'PATCH', body: { trusted: true } })
  expect((await add({ scope: 'project', ...deny })).body.error?.name).toBe('FileNotEditable')
})
