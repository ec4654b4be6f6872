import { describe, expect, it } from 'vitest'
import { addLine, agentRecord, ask, type ContractSetup, message, runRecord, textFrame } from './builders.ts'

const hostileIds = ['', '..', '../x', 'a/b', 'a\u0000b', 'x'.repeat(65), 'ä', 'a b', 'a.b', 'a\n']

export function sessionsContract(ground: () => ContractSetup): void {
  describe('sessions', () => {
    it('round-trip', async () => {
      const { store, workspaceId, reopen } = ground()
      const made = await store.sessions.create({
        id: 'S_2-x',
        workspaceId,
        model: 'demo/tour',
        agent: 'master',
        createdAt: 7,
      })
      expect(made).toEqual({
        id: 'S_2-x',
        workspaceId,
        projectId: null,
        title: 'New chat',
        renamed: false,
        pinned: false,
        archived: false,
        folderId: null,
        trashedAt: null,
        model: 'demo/tour',
        agent: 'master',
        mode: 'default',
        rules: [],
        ownerId: null,
        visibility: 'private',
        messageCount: 0,
        createdAt: 7,
        updatedAt: 7,
      })
      expect(await (await reopen()).sessions.get('S_2-x')).toEqual(made)
    })

    it('are rejected with an id that exists or is not a valid file name', async () => {
      const { store, workspaceId, otherWorkspaceId } = ground()
      await expect(store.sessions.create({ id: 's1', workspaceId: otherWorkspaceId })).rejects.toMatchObject({
        name: 'SessionExists',
        status: 409,
      })
      for (const id of hostileIds) {
        await expect(store.sessions.create({ id, workspaceId })).rejects.toMatchObject({
          name: 'InvalidId',
          status: 400,
        })
        await expect(store.messages.add({ sessionId: 's1' }, message(id, null))).rejects.toMatchObject({
          name: 'InvalidId',
        })
        const inside = { sessionId: 's1', agentId: id }
        await expect(store.messages.add(inside, message('u1', null))).rejects.toMatchObject({ name: 'InvalidId' })
        expect(await store.sessions.get(id)).toBeUndefined()
      }
      await expect(store.sessions.create({ id: 'x', workspaceId: 'nobody' })).rejects.toMatchObject({ status: 404 })
      expect((await store.sessions.list({ workspaceId })).sessions.map((session) => session.id)).toEqual(['s1'])
    })

    it('get their title from the first words of the first user message', async () => {
      const { store, workspaceId } = ground()
      const titles: [string, string][] = [
        ['hello', 'hello'],
        ['  Please   write\na poem ', 'Please write a poem'],
        ['one two three four five six seven eight nine ten', 'one two three four five six…'],
        ['a b c d e f g h i j k l', 'a b c d e f g h i j…'],
        ['Donaudampfschifffahrtsgesellschaftskapitän ist lang', 'Donaudampfschifffahrtsgesellsc…'],
        ['今天天气怎么样我想出去玩', '今天天气怎么样我想出…'],
        ['bell\u0007 and null\u0000 here', 'bell and null here'],
      ]
      for (const [index, [text, title]] of titles.entries()) {
        const sessionId = `t${index}`
        await store.sessions.create({ id: sessionId, workspaceId })
        await store.messages.add({ sessionId }, message('a0', null, 'a greeting'))
        await store.messages.add({ sessionId }, message('u1', 'a0', text))
        await store.messages.add({ sessionId }, message('u2', 'u1', 'something else'))
        expect((await store.sessions.get(sessionId))?.title).toBe(title)
      }
    })

    it('get no title from data parts, and keep a given title', async () => {
      const { store, workspaceId } = ground()
      const data = { type: 'data-skill' as const, data: { name: 'x', path: 'x', scope: 'x', content: 'not a title' } }
      await store.messages.add({ sessionId: 's1' }, message('u1', null, '', { parts: [data] }))
      expect((await store.sessions.get('s1'))?.title).toBe('New chat')
      await store.messages.add({ sessionId: 's1' }, message('u2', 'u1', 'now words'))
      expect((await store.sessions.get('s1'))?.title).toBe('now words')
      await store.sessions.create({ id: 'named', workspaceId, title: 'My trip' })
      await store.messages.add({ sessionId: 'named' }, message('u1', null, 'hello'))
      expect((await store.sessions.get('named'))?.title).toBe('My trip')
      const renamed = await store.sessions.update('s1', { title: 'Mine' })
      expect(renamed).toMatchObject({ title: 'Mine', renamed: true })
      await store.messages.add({ sessionId: 's1' }, message('u3', null, 'other words'))
      expect((await store.sessions.get('s1'))?.title).toBe('Mine')
    })

    it('change by patch', async () => {
      const { store } = ground()
      const patched = await store.sessions.update('s1', { pinned: true, archived: true, model: 'a/b', agent: 'x' })
      expect(patched).toMatchObject({
        pinned: true,
        archived: true,
        model: 'a/b',
        agent: 'x',
        title: 'New chat',
        renamed: false,
      })
      expect(await store.sessions.update('s1', { model: null })).toMatchObject({ model: null, pinned: true })
      expect(await store.sessions.update('s1', {})).toMatchObject({ pinned: true })
      await expect(store.sessions.update('nobody', { pinned: true })).rejects.toMatchObject({
        name: 'SessionNotFound',
        status: 404,
      })
    })

    it('have their own mode and rules', async () => {
      const { store, workspaceId, reopen } = ground()
      await store.sessions.create({ id: 'planned', workspaceId, mode: 'plan' })
      const rules = [{ text: 'Bash(npm test)', effect: 'allow' as const }]
      expect(await store.sessions.update('planned', { rules })).toMatchObject({ mode: 'plan', rules })
      expect(await store.sessions.update('planned', { mode: 'accept-edits' })).toMatchObject({ rules })
      const params = { temperature: 0.2, stopSequences: ['END'] }
      expect(await store.sessions.update('planned', { params })).toMatchObject({ mode: 'accept-edits', params })
      expect((await store.sessions.update('planned', { params: {} })).params).toBeUndefined()
      await store.sessions.update('planned', { params })
      const again = await reopen()
      expect(await again.sessions.get('planned')).toMatchObject({ mode: 'accept-edits', rules, params })
      expect(await again.sessions.get('s1')).toMatchObject({ mode: 'default', rules: [] })
    })

    it('are listed newest first, page by page', async () => {
      const { store, workspaceId } = ground()
      for (let i = 0; i < 7; i++)
        await store.sessions.create({ id: `p${i}`, workspaceId, createdAt: 10 + Math.floor(i / 2) })
      await store.sessions.delete('s1')
      const seen: string[] = []
      let cursor: string | undefined
      do {
        const page = await store.sessions.list({ workspaceId, limit: 3, ...(cursor !== undefined && { cursor }) })
        seen.push(...page.sessions.map((session) => session.id))
        cursor = page.nextCursor ?? undefined
      } while (cursor !== undefined)
      expect(seen).toEqual(['p6', 'p5', 'p4', 'p3', 'p2', 'p1', 'p0'])
      await expect(store.sessions.list({ workspaceId, cursor: "1' or 1" })).rejects.toMatchObject({ status: 400 })
    })

    it('move up in the list with a new message', async () => {
      const { store, workspaceId } = ground()
      await store.sessions.create({ id: 'old', workspaceId, createdAt: 1 })
      expect((await store.sessions.list({ workspaceId })).sessions.map((session) => session.id)).toEqual(['s1', 'old'])
      await store.messages.add({ sessionId: 'old' }, message('u1', null))
      const { updatedAt, messageCount } = (await store.sessions.get('old'))!
      expect(updatedAt).toBeGreaterThan(1)
      expect(messageCount).toBe(1)
    })

    it('take everything with them when they are deleted', async () => {
      const { store, workspaceId } = ground()
      await store.sessions.create({ id: 'stays', workspaceId })
      await addLine(store, { sessionId: 'stays' }, 2)
      await addLine(store, { sessionId: 's1' }, 4)
      await store.runs.put(runRecord('r1', 's1'))
      await store.frames.append([textFrame('r1', 1, 0, 'abc')])
      await store.asks.open(ask('k1', 's1'))
      await store.agents.put(agentRecord('s1', 'g1'))
      await store.sessions.delete('s1')
      expect(await store.sessions.get('s1')).toBeUndefined()
      expect(await store.messages.get({ sessionId: 's1' }, 'u1')).toBeUndefined()
      expect(await store.runs.get('r1')).toBeUndefined()
      expect(await store.frames.read('r1')).toEqual([])
      expect(await store.asks.get('k1')).toBeUndefined()
      expect(await store.agents.list('s1')).toEqual([])
      expect(await store.messages.search({ workspaceId, query: 'text' })).toHaveLength(2)
      expect((await store.messages.branch({ sessionId: 'stays' })).messages).toHaveLength(2)
      await expect(store.sessions.delete('s1')).rejects.toMatchObject({ name: 'SessionNotFound' })
      await expect(store.messages.add({ sessionId: 's1' }, message('u1', null))).rejects.toMatchObject({
        name: 'SessionNotFound',
      })
    })

    it('contain records of their sub-agents', async () => {
      const { store } = ground()
      const first = agentRecord('s1', 'g1')
      await store.agents.put(first)
      await store.agents.put(agentRecord('s1', 'g2', 'g1'))
      await store.agents.put({ ...first, status: 'done', updatedAt: 9 })
      expect(await store.agents.get('s1', 'g1')).toEqual({ ...first, status: 'done', updatedAt: 9 })
      expect((await store.agents.list('s1')).map((agent) => agent.agentId)).toEqual(['g1', 'g2'])
      expect(await store.agents.get('other', 'g1')).toBeUndefined()
      await expect(store.agents.put(agentRecord('s1', '../g'))).rejects.toMatchObject({ name: 'InvalidId' })
      await expect(store.agents.put(agentRecord('nobody', 'g1'))).rejects.toMatchObject({ name: 'SessionNotFound' })
    })
  })
}
