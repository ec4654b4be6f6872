import path from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import type { Folder, Session } from '@troupe/core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { testServer, type TestServer, userMessage } from '../testing/test-server.ts'
import { emptyOldTrash } from './session-routes.ts'

let server: TestServer
beforeAll(async () => {
  server = await testServer()
})
afterAll(() => server.close())

const ids = async (query: string): Promise<string[]> =>
  (await server.json<{ sessions: Session[] }>(`/ai/sessions${query}`)).body.sessions.map(({ id }) => id)
const patch = (id: string, body: object) =>
  server.json<{ session: Session }>(`/ai/sessions/${id}`, { method: 'PATCH', body })

it('folders are made, renamed, moved and deleted; sessions go in and out', async () => {
  for (const id of ['one', 'two']) await server.json('/ai/sessions', { body: { id } })
  const made = await server.json<{ folder: Folder }>('/ai/folders', { body: { name: 'Trips' } })
  expect(made).toMatchObject({ status: 201, body: { folder: { name: 'Trips', parentFolderId: null } } })
  const outer = made.body.folder.id
  const inner = (
    await server.json<{ folder: Folder }>('/ai/folders', { body: { name: 'Peru', parentFolderId: outer } })
  ).body.folder.id
  expect((await patch('one', { folderId: inner })).body.session.folderId).toBe(inner)
  expect(await ids(`?view=active&folder=${inner}`)).toEqual(['one'])
  expect(await ids('?view=active&folder=none')).toEqual(['two'])
  expect(await patch('two', { folderId: 'nowhere' })).toMatchObject({
    status: 404,
    body: { error: { name: 'FolderNotFound' } },
  })
  const renamed = await server.json(`/ai/folders/${inner}`, { method: 'PATCH', body: { name: 'Chile' } })
  expect(renamed.body).toMatchObject({ folder: { name: 'Chile', sessionCount: 1 } })
  const deep = await server.json('/ai/folders', { body: { name: 'x', parentFolderId: inner } })
  expect(deep).toMatchObject({ status: 409, body: { error: { name: 'FolderTooDeep' } } })
  await server.json(`/ai/folders/${inner}`, { method: 'DELETE' })
  const { body } = await server.json<{ folders: Folder[] }>('/ai/folders')
  expect(body.folders).toMatchObject([{ id: outer, sessionCount: 1 }])
})

it('a deleted chat stops, accepts no message, is not found and can be restored', async () => {
  server.script('hold', [[{ text: 'walrus' }, { gate: 'trash' }]])
  const running = server.chat('thrown', userMessage('hold', 'h1'))
  await server.model.reached('trash')
  const { body } = await patch('thrown', { trashed: true })
  expect(body.session).toMatchObject({ run: null, trashedAt: expect.any(Number) as number })
  await running
  expect(await ids('')).not.toContain('thrown')
  expect(await ids('?view=trashed')).toEqual(['thrown'])
  expect(await ids('?q=walrus')).toEqual([])
  expect(await server.chat('thrown', 'more')).toMatchObject({ status: 409, error: { name: 'SessionTrashed' } })
  expect((await patch('thrown', { trashed: false })).body.session.trashedAt).toBeNull()
  expect(await ids('?q=walrus')).toEqual(['thrown'])
  expect((await server.chat('thrown', 'more')).status).toBe(200)
})

it('DELETE deletes, in the trash or not, and the trash can be emptied', async () => {
  await patch('thrown', { trashed: true })
  await patch('two', { trashed: true })
  expect((await server.json('/ai/sessions/two', { method: 'DELETE' })).body).toMatchObject({ deleted: 'two' })
  expect((await server.json('/ai/trash', { method: 'DELETE' })).body).toEqual({
    deleted: ['thrown'],
    stillPublished: [],
  })
  expect(await ids('?view=trashed')).toEqual([])
  expect((await server.json('/ai/sessions/thrown')).status).toBe(404)
})

it('chats are deleted after 30 days in the trash, and nothing else is', async () => {
  for (const id of ['young', 'old', 'wanted']) {
    await server.json('/ai/sessions', { body: { id } })
    await patch(id, { trashed: true })
  }
  await server.chat('talk', userMessage('hello', 'gone'))
  const removed = await server.json<{ removalId: string }>('/ai/sessions/talk/messages/gone', { method: 'DELETE' })
  const database = new DatabaseSync(path.join(server.homePath, 'troupe.db'))
  database.exec("update session set trashed_at = trashed_at - 32 * 86400000 where id = 'old'")
  database.exec("update session set trashed_at = trashed_at - 31 * 86400000 where id = 'wanted'")
  database.exec("update setting set value = json_set(value, '$[0].at', 0) where key = 'removals'")
  database.close()
  const { store, runs } = server
  // Restore it while another session is being deleted.
  const dropSession = async (): Promise<void> => void (await patch('wanted', { trashed: false }))
  const published = { unpublishDeleted: async () => [] }
  await emptyOldTrash({ store, runs, dropSession, published, logger: () => undefined })
  expect(await ids('?view=trashed')).toEqual(['young'])
  expect(await ids('?view=active')).toContain('wanted')
  const undo = `/ai/sessions/talk/removals/${removed.body.removalId}/undo`
  expect(await server.json(undo, { method: 'POST' })).toMatchObject({ status: 404 })
})
