import type { Store } from '@troupe/core'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { type ContractSetup, message, type OpenedStore, runRecord } from './builders.ts'
import { foldersContract } from './folders-contract.ts'
import { messagesContract } from './messages-contract.ts'
import { runsContract } from './runs-contract.ts'
import { searchContract } from './search-contract.ts'
import { sessionsContract } from './sessions-contract.ts'
import { signalsContract } from './signals-contract.ts'
import { usageContract } from './usage-contract.ts'

export function storeContract(name: string, open: () => Promise<OpenedStore>): void {
  describe(`the store contract on ${name}`, () => {
    let opened: OpenedStore
    let ground: ContractSetup
    beforeEach(async () => {
      opened = await open()
      const workspace = await opened.store.workspaces.open('/tmp/one')
      const other = await opened.store.workspaces.open('/tmp/other')
      await opened.store.sessions.create({ id: 's1', workspaceId: workspace.id })
      ground = {
        store: opened.store,
        workspaceId: workspace.id,
        otherWorkspaceId: other.id,
        reopen: () => opened.reopen(),
      }
    })
    afterEach(() => opened.dispose())

    const parts = [
      workspacesContract,
      sessionsContract,
      foldersContract,
      messagesContract,
      searchContract,
      runsContract,
      transactionsContract,
      usageContract,
      signalsContract,
    ]
    for (const part of parts) part(() => ground)
  })

  it(`${name} opens an empty store`, async () => {
    const opened = await open()
    expect(await opened.store.workspaces.list()).toEqual([])
    expect(await opened.store.runs.unfinished()).toEqual([])
    await opened.dispose()
  })
}

const at = { sessionId: 's1' }

function transactionsContract(ground: () => ContractSetup): void {
  describe('transactions', () => {
    it('commit several writes as one and give back a value', async () => {
      const { store } = ground()
      const value = await store.transaction(async (inside) => {
        await inside.messages.add(at, message('u1', null))
        await inside.runs.put(runRecord('r1', 's1'))
        return (await inside.messages.branch(at)).leafMessageId
      })
      expect(value).toBe('u1')
      expect(await store.runs.get('r1')).toBeDefined()
    })

    it('show nothing to others before they are committed', async () => {
      const { store } = ground()
      let seen: Promise<unknown> | undefined
      const failed = store.transaction(async (inside) => {
        await inside.messages.add(at, message('u1', null))
        seen = store.messages.get(at, 'u1')
        await inside.messages.add(at, message('u2', 'u1'))
        throw new Error('changed my mind')
      })
      await expect(failed).rejects.toThrow('changed my mind')
      expect(await seen).toBeUndefined()
    })

    it('leave nothing behind when they fail', async () => {
      const { store, workspaceId } = ground()
      const before = await store.sessions.get('s1')
      const failing = store.transaction(async (inside) => {
        await inside.messages.add(at, message('u1', null, 'never'))
        await inside.sessions.create({ id: 's2', workspaceId })
        throw new Error('changed my mind')
      })
      await expect(failing).rejects.toThrow('changed my mind')
      expect(await store.messages.get(at, 'u1')).toBeUndefined()
      expect(await store.sessions.get('s2')).toBeUndefined()
      expect(await store.sessions.get('s1')).toEqual(before)
      expect(await store.messages.search({ workspaceId, query: 'never' })).toEqual([])
      await store.messages.add(at, message('u1', null))
    })

    it('inside a transaction join the outer one', async () => {
      const { store } = ground()
      await expect(
        store.transaction(async (outer) => {
          await outer.transaction((inner) => inner.messages.add(at, message('u1', null)))
          expect(await outer.messages.get(at, 'u1')).toBeDefined()
          throw new Error('no')
        }),
      ).rejects.toThrow('no')
      expect(await store.messages.get(at, 'u1')).toBeUndefined()
    })

    it('continue after an error that was caught inside', async () => {
      const { store } = ground()
      await store.transaction(async (inside) => {
        await inside.messages.add(at, message('u1', null))
        await expect(inside.messages.add(at, message('u1', null))).rejects.toMatchObject({ name: 'MessageExists' })
        await inside.messages.add(at, message('a1', 'u1'))
      })
      expect((await store.messages.chain(at, 'a1')).map((m) => m.id)).toEqual(['u1', 'a1'])
      expect((await store.sessions.get('s1'))?.messageCount).toBe(2)
    })

    it('make others wait, and all of them complete', async () => {
      const { store } = ground()
      const order: string[] = []
      let goOn!: () => void
      const held = new Promise<void>((resolve) => (goOn = resolve))
      const first = store.transaction(async (inside) => {
        await inside.messages.add(at, message('u1', null))
        order.push('first is inside')
        await held
        await inside.messages.add(at, message('a1', 'u1'))
        order.push('first is done')
      })
      const read = store.messages.get(at, 'u1').then((found) => order.push(`read sees ${found?.id}`))
      const others = Array.from({ length: 20 }, (_, i) => store.messages.add(at, message(`x${i}`, null)))
      goOn()
      await Promise.all([first, read, ...others])
      // Either it waited, or it saw nothing of it.
      if (order.includes('read sees u1'))
        expect(order.indexOf('read sees u1')).toBeGreaterThan(order.indexOf('first is done'))
      else expect(order).toContain('read sees undefined')
      expect((await store.sessions.get('s1'))?.messageCount).toBe(22)
    })

    it('cannot be used after their end', async () => {
      const { store } = ground()
      let kept!: Store
      await store.transaction(async (inside) => {
        kept = inside
      })
      await expect(kept.messages.get(at, 'u1')).rejects.toThrow('ended')
      await expect(kept.settings.set('a', 1)).rejects.toThrow('ended')
    })
  })
}

function workspacesContract(ground: () => ContractSetup): void {
  describe('workspaces', () => {
    it('gives the same folder the same id, even after a restart', async () => {
      const { store, workspaceId, reopen } = ground()
      expect((await store.workspaces.open('/tmp/one/')).id).toBe(workspaceId)
      const again = await reopen()
      expect((await again.workspaces.open('/tmp/one')).id).toBe(workspaceId)
      expect((await again.workspaces.list()).map((workspace) => workspace.path).toSorted()).toEqual([
        '/tmp/one',
        '/tmp/other',
      ])
    })

    it('opens one workspace for two concurrent requests', async () => {
      const { store } = ground()
      const [a, b] = await Promise.all([store.workspaces.open('/tmp/new'), store.workspaces.open('/tmp/new')])
      expect(a.id).toBe(b.id)
    })

    it('trusts nothing before the user does', async () => {
      const { store, workspaceId } = ground()
      expect((await store.workspaces.get(workspaceId))?.trusted).toBe(false)
      await store.workspaces.trust(workspaceId, true)
      expect((await store.workspaces.get(workspaceId))?.trusted).toBe(true)
      await expect(store.workspaces.trust('nobody', true)).rejects.toMatchObject({ name: 'WorkspaceNotFound' })
    })

    it('keeps trust by the identity of a folder, and follows it to another path', async () => {
      const { store, workspaceId } = ground()
      expect(await store.workspaces.identify(workspaceId, '1:1')).toMatchObject({ identity: '1:1', trusted: false })
      await store.workspaces.trust(workspaceId, true)
      const project = await store.workspaces.openProject(workspaceId, '/tmp/one/a', 'The app')
      expect((await store.workspaces.identified('1:1')).map(({ id }) => id)).toEqual([workspaceId])
      await store.workspaces.move(workspaceId, '/tmp/moved')
      expect(await store.workspaces.get(workspaceId)).toMatchObject({ path: '/tmp/moved', trusted: true })
      expect(await store.workspaces.projects(workspaceId)).toEqual([{ ...project, path: '/tmp/moved/a' }])
      await expect(store.workspaces.move(workspaceId, '/tmp/other')).rejects.toMatchObject({ name: 'WorkspaceExists' })
      expect(await store.workspaces.identify(workspaceId, '2:2')).toMatchObject({ trusted: false })
      expect(await store.workspaces.identify(workspaceId, '1:1')).toMatchObject({ trusted: true })
      await store.workspaces.trust(workspaceId, false)
      await store.workspaces.identify(workspaceId, '2:2')
      expect(await store.workspaces.identify(workspaceId, '1:1')).toMatchObject({ trusted: false })
    })

    it('lists recent workspaces by their last use, without removed ones', async () => {
      const { store, workspaceId, otherWorkspaceId } = ground()
      await store.sessions.create({ id: 'elsewhere', workspaceId: otherWorkspaceId })
      await store.workspaces.setListed(workspaceId, true)
      const found = await store.workspaces.recent()
      expect(found.map(({ id, sessionCount }) => [id, sessionCount])).toContainEqual([otherWorkspaceId, 1])
      await store.workspaces.setListed(otherWorkspaceId, false)
      expect((await store.workspaces.recent()).map(({ id }) => id)).toEqual([workspaceId])
      expect((await store.workspaces.get(otherWorkspaceId))?.listed).toBe(false)
      await expect(store.workspaces.setListed('nobody', true)).rejects.toMatchObject({ name: 'WorkspaceNotFound' })
    })

    it('forgets a project: its sessions and inner projects move to the one around it', async () => {
      const { store, workspaceId, otherWorkspaceId } = ground()
      const [top, middle, inner] = await Promise.all(
        ['a', 'a/b', 'a/b/c'].map((folder) => store.workspaces.openProject(workspaceId, folder)),
      )
      await store.sessions.create({ id: 'in-middle', workspaceId, projectId: middle!.id })
      await store.workspaces.forgetProject(workspaceId, middle!.id)
      expect(
        (await store.workspaces.projects(workspaceId)).map(({ id, parentProjectId }) => [id, parentProjectId]),
      ).toEqual([
        [top!.id, null],
        [inner!.id, top!.id],
      ])
      expect((await store.sessions.get('in-middle'))?.projectId).toBe(top!.id)
      await store.workspaces.forgetProject(workspaceId, top!.id)
      expect((await store.sessions.get('in-middle'))?.projectId).toBeNull()
      for (const [workspace, id] of [
        [workspaceId, middle!.id],
        [otherWorkspaceId, inner!.id],
      ] as const)
        await expect(store.workspaces.forgetProject(workspace, id)).rejects.toMatchObject({ name: 'ProjectNotFound' })
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

    it('loses no update of a setting', async () => {
      const { store } = ground()
      const add = (one: number) =>
        store.settings.update('list', (list) => [...((list as number[] | undefined) ?? []), one])
      await Promise.all(Array.from({ length: 20 }, (_, i) => add(i)))
      expect(((await store.settings.get('list')) as number[]).toSorted((a, b) => a - b)).toEqual(
        Array.from({ length: 20 }, (_, i) => i),
      )
      await expect(
        store.settings.update('list', () => {
          throw new Error('no')
        }),
      ).rejects.toThrow('no')
      await store.settings.update('list', () => undefined)
      expect(await store.settings.get('list')).toBeUndefined()
    })
  })
}
