import type { ContractSetup } from './make.ts'
import { describe, expect, it } from 'vitest'

export function workspacesContract(ground: () => ContractSetup): void {
  describe('workspaces', () => {
    it('gives the same folder the same id, also after a restart', async () => {
      const { store, workspaceId, reopen } = ground()
      expect((await store.workspaces.open('/tmp/one/')).id).toBe(workspaceId)
      const again = await reopen()
      expect((await again.workspaces.open('/tmp/one')).id).toBe(workspaceId)
      expect((await again.workspaces.list()).map((workspace) => workspace.path).toSorted()).toEqual([
        '/tmp/one',
        '/tmp/other',
      ])
    })

    it('opens one workspace when two ask at once', async () => {
      const { store } = ground()
      const [a, b] = await Promise.all([store.workspaces.open('/tmp/new'), store.workspaces.open('/tmp/new')])
      expect(a.id).toBe(b.id)
    })

    it('trusts nothing before the person says so', async () => {
      const { store, workspaceId } = ground()
      expect((await store.workspaces.get(workspaceId))?.trusted).toBe(false)
      await store.workspaces.trust(workspaceId, true)
      expect((await store.workspaces.get(workspaceId))?.trusted).toBe(true)
      await expect(store.workspaces.trust('nobody', true)).rejects.toMatchObject({ name: 'WorkspaceNotFound' })
    })

    it('nests projects by their folders, whichever came first', async () => {
      const { store, workspaceId, otherWorkspaceId } = ground()
      const inner = await store.workspaces.openProject(workspaceId, '/tmp/one/a/b')
      const outer = await store.workspaces.openProject(workspaceId, '/tmp/one/a')
      const beside = await store.workspaces.openProject(workspaceId, 'ab')
      expect(outer.parentProjectId).toBeNull()
      expect(beside).toMatchObject({ parentProjectId: null, path: '/tmp/one/ab' })
      const projects = await store.workspaces.projects(workspaceId)
      expect(projects.find((project) => project.id === inner.id)?.parentProjectId).toBe(outer.id)
      expect((await store.workspaces.openProject(workspaceId, '/tmp/one/a/b')).id).toBe(inner.id)
      expect(await store.workspaces.projects(otherWorkspaceId)).toEqual([])
    })

    it('refuses a project outside its workspace', async () => {
      const { store, workspaceId } = ground()
      for (const path of ['/tmp/one-more', '../other', '/']) {
        await expect(store.workspaces.openProject(workspaceId, path)).rejects.toMatchObject({
          name: 'OutsideWorkspace',
        })
      }
    })

    it('keeps definitions and settings', async () => {
      const { store, workspaceId, otherWorkspaceId } = ground()
      const data = { tools: ['Read'], text: 'a\u0000b', nested: { on: true } }
      await store.definitions.put({ workspaceId, name: 'reviewer', data: { old: 1 } })
      await store.definitions.put({ workspaceId, name: 'reviewer', data })
      await store.definitions.put({ workspaceId: otherWorkspaceId, name: 'reviewer', data: { mine: false } })
      expect(await store.definitions.get(workspaceId, 'reviewer')).toEqual(data)
      expect(await store.definitions.list(workspaceId)).toEqual([{ name: 'reviewer', data }])
      expect(await store.definitions.remove(workspaceId, 'reviewer')).toBe(true)
      expect(await store.definitions.remove(workspaceId, 'reviewer')).toBe(false)
      expect(await store.definitions.get(otherWorkspaceId, 'reviewer')).toEqual({ mine: false })

      await store.settings.set('theme', { dark: true })
      expect(await store.settings.get('theme')).toEqual({ dark: true })
      await store.settings.set('theme', null)
      expect(await store.settings.get('theme')).toBeNull()
      await store.settings.set('theme', undefined)
      expect(await store.settings.get('theme')).toBeUndefined()
    })
  })
}
