import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import type { Answered, Backup } from '@troupe/protocol'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { testServer, type TestServer } from '../testing/test-server.ts'

type Data = Answered<'GET /ai/data'>

let server: TestServer
beforeAll(async () => {
  server = await testServer({ config: { model: 'test/script' } })
})
afterAll(() => server.close())

test('the data location and size are returned', async () => {
  await server.chat('s1', 'hello')
  await server.request('/ai/blobs', { method: 'POST', body: 'x', headers: { 'content-type': 'text/plain' } })
  const { body } = await server.json<Data>('/ai/data')
  const places = Object.fromEntries(body.places.map((place) => [place.name, place]))
  expect(body.home).toBe(server.homePath)
  expect(places['database']?.path).toBe(path.join(server.homePath, 'troupe.db'))
  expect(places['database']?.bytes).toBeGreaterThan(10_000)
  expect(places['blobs']).toMatchObject({ files: 2 })
  expect(places['backups']).toMatchObject({ files: 0, bytes: 0 })
  expect(body.backups).toEqual([])
  expect(body.free).toBeGreaterThan(0)
})

test('a backup has the database, the blobs and the settings, and is private', async () => {
  const { status, body } = await server.json<{ backup: Backup }>('/ai/data/backup', { method: 'POST' })
  expect(status).toBe(201)
  const { path: folder, createdAt } = body.backup
  const copy = new DatabaseSync(path.join(folder, 'troupe.db'), { readOnly: true })
  expect(copy.prepare('select title from session').all()).toEqual([{ title: 'hello' }])
  expect(copy.prepare('pragma integrity_check').get()).toEqual({ integrity_check: 'ok' })
  copy.close()
  expect(statSync(path.join(folder, 'troupe.db')).mode & 0o077).toBe(0)
  expect(readFileSync(path.join(folder, 'config.json'), 'utf8')).toContain('test/script')
  const { body: data } = await server.json<Data>('/ai/data')
  expect(data.backups).toEqual([{ path: folder, createdAt }])
  expect(existsSync(`${folder}.part`)).toBe(false)
  await server.chat('s2', 'the database goes on')
})

test('a backup has the files of the user and the tools, and a home restored from it works', async () => {
  const made: Record<string, string> = {
    'tools/own-tool.ts': "export default { description: 'x', input: {}, execute: () => 'x' }",
    'agents/writer.md': '---\ndescription: writes\n---\nYou write.\n',
    'skills/pdf/SKILL.md': '---\nname: pdf\ndescription: About pdf.\n---\nDo it.',
    'commands/hello.md': 'Say hello.',
    'hooks/watch.ts': 'export default {}',
    'rules.json': '{}',
    'sessions/s1/output/long.txt': 'a long output',
    'sessions/s1/jsx/card.jsx': '<p>hi</p>',
  }
  for (const [name, text] of Object.entries(made)) put(path.join(server.homePath, name), text)
  symlinkSync('pdf', path.join(server.homePath, 'skills', 'linked'))
  put(path.join(server.homePath, 'uploads', 'half.zip'), 'x')
  put(path.join(server.homePath, 'browser', 'profile-1', 'Local State'), '{}')
  const { body } = await server.json<{ backup: Backup }>('/ai/data/backup', { method: 'POST' })
  const folder = body.backup.path
  for (const [name, text] of Object.entries(made)) expect(readFileSync(path.join(folder, name), 'utf8')).toBe(text)
  expect(readFileSync(path.join(folder, 'skills', 'linked', 'SKILL.md'), 'utf8')).toContain('About pdf.')
  const anew = [
    'sessions/s1/messages.jsonl',
    'sessions/s1/session.json',
    'token',
    'lock',
    'uploads',
    'backups',
    'browser',
  ]
  for (const name of anew) expect(existsSync(path.join(server.homePath, name))).toBe(true)
  for (const name of anew) expect(existsSync(path.join(folder, name))).toBe(false)

  const restored = mkdtempSync(path.join(tmpdir(), 'troupe-restored-'))
  cpSync(folder, restored, { recursive: true, verbatimSymlinks: true })
  rmSync(path.join(restored, 'hooks'), { recursive: true })
  const second = await testServer({ home: restored, workspace: server.workspace.path })
  try {
    const messages = await second.messages('s1')
    expect(messages.map(({ role }) => role)).toEqual(['user', 'assistant'])
    const { body: listed } = await second.json<{ agents: { name: string; source: string }[] }>('/ai/agents')
    expect(listed.agents).toContainEqual(expect.objectContaining({ name: 'writer', source: 'home' }))
    await expect.poll(() => existsSync(path.join(restored, 'sessions', 's1', 'messages.jsonl'))).toBe(true)
    expect(existsSync(path.join(restored, 'sessions', 's1', 'output', 'long.txt'))).toBe(true)
  } finally {
    await second.close()
    rmSync(restored, { recursive: true, force: true })
  }
})

test('bytes that a backup shares with the home count once', async () => {
  const { body } = await server.json<Data>('/ai/data')
  const [, , blobs, backups] = body.places
  const big = 'y'.repeat(3_000_000)
  await server.request('/ai/blobs', { method: 'POST', body: big, headers: { 'content-type': 'text/plain' } })
  await server.json('/ai/data/backup', { method: 'POST' })
  const { body: after } = await server.json<Data>('/ai/data')
  expect(after.places[2]?.bytes).toBeGreaterThan((blobs?.bytes ?? 0) + 3_000_000 - 1)
  expect(after.places[3]?.bytes).toBeLessThan((backups?.bytes ?? 0) + 3_000_000)
  expect(after.places[3]?.files).toBeGreaterThan(backups?.files ?? 0)
})

test('the next backup or start removes an incomplete backup', async () => {
  const left = (home: string): string => path.join(home, 'backups', '2026-01-01T00-00-00.000Z.part', 'troupe.db')
  put(left(server.homePath), 'half')
  await server.json('/ai/data/backup', { method: 'POST' })
  expect(existsSync(path.dirname(left(server.homePath)))).toBe(false)

  const home = mkdtempSync(path.join(tmpdir(), 'troupe-killed-'))
  put(left(home), 'half')
  put(path.join(home, 'backups', '2026-01-01T00-00-00.000Z', 'troupe.db'), 'whole')
  const second = await testServer({ home })
  try {
    expect(existsSync(path.dirname(left(home)))).toBe(false)
    expect((await second.json<Data>('/ai/data')).body.backups).toHaveLength(1)
  } finally {
    await second.close()
    rmSync(home, { recursive: true, force: true })
  }
})

test('the page can run the doctor, which loads no library into the server', async () => {
  const load = vi.spyOn(process, 'dlopen')
  const { body } = await server.json<{ findings: { status: string; name: string; text: string }[] }>('/ai/doctor')
  expect(body.findings).toContainEqual({ status: 'ok', name: 'home', text: server.homePath })
  expect(body.findings.find(({ name }) => name === 'database')?.text).toContain('no damage found')
  expect(body.findings).toContainEqual({ status: 'ok', name: 'queries', text: 'files and your own data' })
  expect(load).not.toHaveBeenCalled()
})

function put(file: string, text: string): void {
  mkdirSync(path.dirname(file), { recursive: true })
  writeFileSync(file, text)
}
