import { chmodSync, mkdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { json, openPage, send } from '../testing/requests.ts'
import { testServer, type TestServer } from '../testing/test-server.ts'
import { asyncFiles, type FileCalls } from './inspect-folder.ts'

interface Listed {
  id: string
  name: string
  path: string
  state: string
  trusted: boolean
  chats: number
  asks: number
  running: number
  own: boolean
  sessions?: { id: string; title: string }[]
}

let server: TestServer
let person: string
let page: Record<string, string>
/** Folders that hang until the test ends. */
const hanging = new Set<string>()
const hold = (): Promise<never> => new Promise(() => undefined)
const files: FileCalls = {
  ...asyncFiles,
  stat: (file) => ([...hanging].some((folder) => file.startsWith(folder)) ? hold() : asyncFiles.stat(file)),
}

/** A tool after which the drive of its folder hangs. */
const hangNow = `import { defineTool } from '@troupe/core'
  import { z } from 'zod'
  export default defineTool({ description: 'Hangs.', input: z.object({}), readOnly: true, group: 'test',
    execute: async (_, ctx) => { globalThis.hanging.add(ctx.workspace.path); await new Promise((done) => setTimeout(done, 300)); return {} } })`
Object.assign(globalThis, { hanging })

const mountOf = (folder: string): string => (/\/hangs/.test(folder) ? 'network' : folder)

beforeAll(async () => {
  server = await testServer({
    folderLanes: { files, limitMs: 1500, mountOf },
    env: { HOME: '/nowhere' },
    tools: { 'hang-now': hangNow },
  })
  person = path.join(server.homePath, '..', 'person')
  mkdirSync(path.join(person, 'work', 'app', '.git'), { recursive: true })
  for (const name of ['apple', '.hidden', 'Äpfel\n‮x', '-rf']) mkdirSync(path.join(person, 'work', name))
  writeFileSync(path.join(person, 'work', 'a-file'), '')
  symlinkSync('/etc', path.join(person, 'work', 'away'))
  symlinkSync(path.join(person, 'work'), path.join(person, 'work', 'loop'))
  writeFileSync(path.join(server.homePath, 'config.json'), JSON.stringify({ roots: [person] }), { mode: 0o600 })
  page = { ...json, authorization: `Page ${(await openPage(server)).credential}` }
})
afterAll(() => server.close())

const list = async (query = ''): Promise<Listed[]> =>
  (await server.json<{ workspaces: Listed[] }>(`/ai/workspaces${query}`)).body.workspaces
const open = (folder: string, more = {}) =>
  send(server, 'POST', '/ai/workspaces', { headers: page, body: JSON.stringify({ path: folder, ...more }) })
const complete = async (typed: string) =>
  (
    await server.json<{
      folder: string | null
      state: string
      isCut: boolean
      entries: { name: string; git: boolean }[]
    }>(`/ai/workspaces/complete?path=${encodeURIComponent(typed)}`)
  ).body

it('a page opens folders inside the allowed places only', async () => {
  expect((await open(path.join(person, 'work', 'app'))).status).toBe(200)
  for (const folder of [
    '/etc',
    path.join(person, 'work', 'away'),
    server.homePath,
    path.join(server.homePath, 'tools'),
  ])
    expect([folder, (await open(folder)).name]).toEqual([folder, 'OutsideRoots'])
  for (const folder of ['relative', '', path.join(person, 'none'), path.join(person, 'work', 'a-file'), `${person}\0`])
    expect([folder, (await open(folder)).status]).toEqual([folder, 400])
  const made = path.join(person, 'work', 'made')
  expect((await open(made, { create: true })).status).toBe(200)
  expect(await open('/etc/made', { create: true })).toMatchObject({ status: 409, name: 'FolderNotMade' })
  expect((await send(server, 'GET', `/ai/workspaces?path=${made}`, { headers: {} })).status).toBe(200)
})

it('lists recent folders with their state and chats, and says which one has a chat', async () => {
  const app = path.join(person, 'work', 'app')
  await server.chat('in-app', 'hello there', { workspace: app })
  const found = await server.json<{ workspaces: Listed[]; sessionWorkspaceId: string }>(
    '/ai/workspaces?chats=3&session=in-app',
  )
  const one = found.body.workspaces[0]!
  expect(one).toMatchObject({ name: 'app', path: app, state: 'ok', chats: 1, own: false, trusted: false })
  expect(one.sessions).toMatchObject([{ id: 'in-app', title: 'hello there' }])
  expect(found.body.sessionWorkspaceId).toBe(one.id)
  rmSync(path.join(person, 'work', 'made'), { recursive: true })
  const state = async () => (await list()).find(({ name }) => name === 'made')?.state
  await expect.poll(state, { timeout: 10_000 }).toBe('missing')
})

it('completes paths: hidden folders when a dot is typed, no files, nothing outside', async () => {
  const work = path.join(person, 'work')
  expect((await complete(`${work}/`)).entries.map(({ name }) => name)).toEqual([
    '-rf',
    'app',
    'apple',
    'away',
    'loop',
    'Äpfel\n‮x',
  ])
  expect(await complete(`${work}/AP`)).toMatchObject({
    folder: work,
    state: 'ok',
    entries: [
      { name: 'app', git: true },
      { name: 'apple', git: false },
    ],
  })
  expect((await complete(`${work}/.`)).entries.map(({ name }) => name)).toEqual(['.hidden'])
  expect((await complete(`${work}/none/x`)).entries).toEqual([])
  expect(await complete('/etc/')).toMatchObject({ folder: null, state: 'outside', entries: [] })
  expect(await complete(`${work}/away/`)).toMatchObject({ folder: null, entries: [] })
  expect((await complete('')).entries.map(({ name }) => name)).toContain(person)
  expect((await complete(person.slice(0, -2))).entries.map(({ name }) => name)).toContain(person)
})

it('lists asks of all folders with the folder they come from', async () => {
  server.script('ask', [[{ call: { name: 'TestApproval', input: {} } }], [{ text: 'ok' }]])
  const app = path.join(person, 'work', 'app')
  await server.chat('asking', 'ask', { workspace: app })
  const { body } = await server.json<{ asks: { id: string; folder: { id: string } }[] }>('/ai/asks?folders=all')
  const folder = (await list()).find(({ path: at }) => at === app)!
  expect(body.asks).toMatchObject([{ sessionTitle: 'ask', folder: { id: folder.id, name: 'app', path: app } }])
  expect(folder).toMatchObject({ asks: 1, running: 1 })
  const { done } = server.runs.get('asking')!
  await server.json(`/ai/asks/${body.asks[0]!.id}?workspace=${folder.id}`, { body: { answer: { type: 'approve' } } })
  await done
})

it('trust follows a moved folder with its chats, and another folder at the same path does not get it', async () => {
  const first = path.join(person, 'first')
  mkdirSync(first)
  const scope = (folder: string): string => `?workspace=${encodeURIComponent(folder)}`
  const at = async (folder: string) =>
    (await server.json<{ workspace: Listed }>(`/ai/workspace${scope(folder)}`)).body.workspace
  await server.json(`/ai/workspace${scope(first)}`, { method: 'PATCH', body: { trusted: true } })
  await server.json(`/ai/rules${scope(first)}`, { body: { text: 'Bash(make)', effect: 'allow', scope: 'project' } })
  await server.chat('moving', 'hi', { workspace: first })
  const { id } = await at(first)
  const second = path.join(person, 'second')
  renameSync(first, second)
  mkdirSync(first)
  expect(await at(second)).toMatchObject({ id, trusted: true, path: second })
  expect((await server.json(`/ai/sessions/moving${scope(second)}`)).status).toBe(200)
  const { body } = await server.json<{ rules: { text: string }[] }>(`/ai/rules${scope(second)}`)
  expect(body.rules.map(({ text }) => text)).toContain('Bash(make)')
  expect(await at(first)).toMatchObject({ trusted: false })
  // Replaced in place: the chats stay, the trust does not.
  rmSync(second, { recursive: true })
  mkdirSync(second)
  await expect.poll(() => at(second), { timeout: 10_000 }).toMatchObject({ id, trusted: false })
})

it('a folder that is gone, locked or hangs does not hold up the others', async () => {
  const names = ['gone', 'locked', 'hangs', 'hangs-too', 'hangs-three', 'fine']
  const folders = names.map((name) => path.join(person, name))
  for (const folder of folders) {
    mkdirSync(folder)
    await server.json('/ai/workspaces', { body: { path: folder } })
  }
  const [gone, locked] = folders as [string, string]
  rmSync(gone, { recursive: true })
  chmodSync(locked, 0)
  for (const folder of folders.slice(2, 5)) hanging.add(folder)
  const states = async () => {
    const found = await list()
    return names.map((name) => found.find((one) => one.name === name)?.state)
  }
  const isRoot = process.getuid?.() === 0
  await expect
    .poll(states, { timeout: 10_000 })
    .toEqual(['missing', isRoot ? 'ok' : 'unreadable', 'slow', 'slow', 'slow', 'ok'])
  const before = performance.now()
  const slow = await server.json(`/ai/sessions?workspace=${encodeURIComponent(folders[2]!)}`)
  expect(slow).toMatchObject({ status: 503, body: { error: { name: 'FolderSlow' } } })
  const answer = await server.chat('beside', 'hello', { workspace: folders[5] })
  expect(answer.status).toBe(200)
  expect((await server.chat('own', 'hello')).status).toBe(200)
  expect(performance.now() - before).toBeLessThan(20_000)
  expect(await complete(`${folders[3]!}/`)).toMatchObject({ state: 'slow', entries: [] })
  chmodSync(locked, 0o700)
})

it('a drive that begins to hang during a run stops its tool calls, and no other chat', async () => {
  const folder = path.join(person, 'later')
  mkdirSync(folder)
  writeFileSync(path.join(folder, 'a.txt'), 'text')
  server.script('work', [
    [{ call: { name: 'HangNow', input: {} } }],
    [{ call: { name: 'Read', input: { file_path: 'a.txt' } } }],
    [{ text: 'It hangs.' }],
  ])
  const { message } = await server.chat('hanging', 'work', { workspace: folder })
  expect(JSON.stringify(message.parts)).toContain('The folder of this chat does not respond.')
  expect((await server.chat('other', 'hello')).status).toBe(200)
})
