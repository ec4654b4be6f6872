import { describe, expect, it } from 'vitest'
import { addLine, type ContractSetup, message } from './builders.ts'

const at = { sessionId: 's1' }

export function foldersContract(ground: () => ContractSetup): void {
  describe('folders', () => {
    it('hold sessions and folders, one level deep, and are listed by name with their contents', async () => {
      const { store, workspaceId, otherWorkspaceId, reopen } = ground()
      await store.folders.create({ id: 'f10', workspaceId, name: '  Item\n10 ' })
      await store.folders.create({ id: 'f9', workspaceId, name: 'Item 9' })
      const inner = await store.folders.create({ id: 'in', workspaceId, name: 'Inner', parentFolderId: 'f9' })
      expect(inner).toMatchObject({ parentFolderId: 'f9', name: 'Inner', sessionCount: 0 })
      expect(await store.sessions.update('s1', { folderId: 'in' })).toMatchObject({ folderId: 'in' })
      const listed = async (from = store) =>
        (await from.folders.list(workspaceId)).map(({ id, name, sessionCount }) => `${id} ${name} ${sessionCount}`)
      expect(await listed()).toEqual(['in Inner 1', 'f9 Item 9 0', 'f10 Item 10 0'])
      await store.sessions.update('s1', { archived: true })
      expect(await store.folders.list(otherWorkspaceId)).toEqual([])
      expect(await listed(await reopen())).toEqual(['in Inner 0', 'f9 Item 9 0', 'f10 Item 10 0'])
    })

    it('are rejected if too deep, duplicate, unnamed, or across workspaces', async () => {
      const { store, workspaceId, otherWorkspaceId } = ground()
      await store.folders.create({ id: 'out', workspaceId, name: 'Out' })
      await store.folders.create({ id: 'in', workspaceId, name: 'In', parentFolderId: 'out' })
      await store.folders.create({ id: 'far', workspaceId: otherWorkspaceId, name: 'Far' })
      const make = (id: string, parentFolderId: string | null, name = 'x') =>
        store.folders.create({ id, workspaceId, name, parentFolderId })
      await expect(make('deep', 'in')).rejects.toMatchObject({ name: 'FolderTooDeep', status: 409 })
      await expect(make('x', 'far')).rejects.toMatchObject({ name: 'FolderNotFound', status: 404 })
      await expect(make('x', 'nowhere')).rejects.toMatchObject({ name: 'FolderNotFound' })
      await expect(make('in', null)).rejects.toMatchObject({ name: 'FolderExists', status: 409 })
      await expect(make('x', null, ' \u0000 ')).rejects.toMatchObject({ name: 'BadRequest' })
      await expect(make('a/b', null)).rejects.toMatchObject({ name: 'InvalidId' })
      const move = (id: string, parentFolderId: string) => store.folders.update(id, { parentFolderId })
      await make('other', null)
      await expect(move('out', 'other')).rejects.toMatchObject({ name: 'FolderTooDeep' })
      await expect(move('other', 'other')).rejects.toMatchObject({ name: 'FolderTooDeep' })
      await expect(move('nowhere', 'out')).rejects.toMatchObject({ name: 'FolderNotFound' })
      await expect(store.sessions.update('s1', { folderId: 'far' })).rejects.toMatchObject({ name: 'FolderNotFound' })
      expect((await store.sessions.get('s1'))?.folderId).toBeNull()
      expect(await move('other', 'out')).toMatchObject({ parentFolderId: 'out' })
      expect(await store.folders.update('other', { parentFolderId: null, name: 'Mine' })).toMatchObject({
        parentFolderId: null,
        name: 'Mine',
      })
    })

    it('move their contents to the parent when they are deleted', async () => {
      const { store, workspaceId } = ground()
      await store.folders.create({ id: 'out', workspaceId, name: 'Out' })
      await store.folders.create({ id: 'in', workspaceId, name: 'In', parentFolderId: 'out' })
      await store.sessions.update('s1', { folderId: 'in' })
      await store.folders.delete('in')
      expect((await store.sessions.get('s1'))?.folderId).toBe('out')
      await store.folders.create({ id: 'in', workspaceId, name: 'In', parentFolderId: 'out' })
      await store.folders.delete('out')
      expect((await store.sessions.get('s1'))?.folderId).toBeNull()
      expect(await store.folders.list(workspaceId)).toMatchObject([{ id: 'in', parentFolderId: null }])
      await expect(store.folders.delete('out')).rejects.toMatchObject({ name: 'FolderNotFound' })
    })
  })

  describe('views of the list', () => {
    it('separate active, archived and trashed sessions, pinned first, page by page', async () => {
      const { store, workspaceId } = ground()
      await store.folders.create({ id: 'f', workspaceId, name: 'F' })
      for (let i = 2; i <= 7; i++) await store.sessions.create({ id: `s${i}`, workspaceId, createdAt: i })
      await store.sessions.update('s2', { pinned: true })
      await store.sessions.update('s3', { archived: true })
      await store.sessions.update('s4', { trashed: true })
      await store.sessions.update('s5', { folderId: 'f' })
      await store.sessions.update('s6', { folderId: 'f', trashed: true })
      const ids = async (options: object) =>
        (await store.sessions.list({ workspaceId, ...options })).sessions.map(({ id }) => id)
      expect(await ids({})).toEqual(['s1', 's7', 's5', 's3', 's2'])
      expect(await ids({ view: 'active' })).toEqual(['s2', 's1', 's7', 's5'])
      expect(await ids({ view: 'active', folderId: null })).toEqual(['s2', 's1', 's7'])
      expect(await ids({ view: 'active', folderId: 'f' })).toEqual(['s5'])
      expect(await ids({ view: 'archived' })).toEqual(['s3'])
      expect(await ids({ view: 'trashed' })).toEqual(['s6', 's4'])
      const paged: string[] = []
      for (let cursor: string | undefined = undefined; ;) {
        const options: { cursor?: string } = cursor === undefined ? {} : { cursor }
        const page = await store.sessions.list({ workspaceId, view: 'active', limit: 1, ...options })
        paged.push(...page.sessions.map(({ id }) => id))
        if (page.nextCursor === null) break
        cursor = page.nextCursor
      }
      expect(paged).toEqual(['s2', 's1', 's7', 's5'])
    })

    it('trashed sessions are not found, archived ones are; both can be restored', async () => {
      const { store, workspaceId } = ground()
      await store.messages.add(at, message('u1', null, 'a needle in the hay'))
      const found = async () => [
        (await store.messages.search({ workspaceId, query: 'needle' })).length,
        (await store.sessions.list({ workspaceId, query: 'needle' })).sessions.length,
      ]
      await store.sessions.update('s1', { archived: true })
      expect(await found()).toEqual([1, 1])
      const trashed = await store.sessions.update('s1', { trashed: true })
      expect(trashed.trashedAt).toEqual(expect.any(Number))
      expect(await found()).toEqual([0, 0])
      expect(await store.sessions.trashedBefore(trashed.trashedAt!)).toEqual([])
      expect(await store.sessions.trashedBefore(trashed.trashedAt! + 1)).toEqual(['s1'])
      expect(await store.sessions.update('s1', { trashed: false })).toMatchObject({ trashedAt: null, archived: true })
      expect(await found()).toEqual([1, 1])
      expect(await store.sessions.trashedBefore(Number.MAX_SAFE_INTEGER)).toEqual([])
    })
  })

  describe('all messages of a conversation', () => {
    it('are returned in the order they were stored, page by page', async () => {
      const { store } = ground()
      await addLine(store, at, 7)
      await store.messages.add(at, message('a1b', 'u1'))
      const seen: string[] = []
      for (let after: number | null = 0; after !== null;) {
        const page: Awaited<ReturnType<typeof store.messages.page>> = await store.messages.page(at, { after, limit: 3 })
        seen.push(...page.messages.map(({ id }) => id))
        after = page.next
      }
      expect(seen).toEqual(['u1', 'a1', 'u2', 'a2', 'u3', 'a3', 'u4', 'a1b'])
      expect(await store.messages.page({ ...at, agentId: 'nobody' })).toEqual({ messages: [], next: null })
    })
  })
}
