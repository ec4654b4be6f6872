import { existsSync, readFileSync, statSync } from 'node:fs'
import path from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { testServer, type TestServer } from '../../test/test-server.ts'
import type { Backup } from '../data/back-up-home.ts'
import type { Place } from '../data/measure-home.ts'

interface Data {
  home: string
  places: Place[]
  backups: Backup[]
  free: number
}

let server: TestServer
beforeAll(async () => {
  server = await testServer({ config: { model: 'test/script' } })
})
afterAll(() => server.close())

test('it is said where the data lies and how much it is', async () => {
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

test('a backup holds the database, the blobs and the settings, for the person alone', async () => {
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

test('the doctor is heard in the page as well', async () => {
  const { body } = await server.json<{ findings: { status: string; name: string; text: string }[] }>('/ai/doctor')
  expect(body.findings).toContainEqual({ status: 'ok', name: 'home', text: server.homePath })
  expect(body.findings.find(({ name }) => name === 'database')?.text).toContain('sound')
})
