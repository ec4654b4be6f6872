import type { Part } from '@troupe/protocol'
import { describe, expect, it } from 'vitest'
import { addLine, type ContractSetup, message, runRecord, textFrame } from './builders.ts'

const at = { sessionId: 's1' }

export function messagesContract(ground: () => ContractSetup): void {
  describe('messages', () => {
    it('round-trip with any content', async () => {
      const { store, reopen } = ground()
      const parts: Part[] = [
        { type: 'text', text: 'null \u0000, lone \uD800, pair 😀, line \u2028 end, "quotes" \\ and \n newline' },
        { type: 'text', text: 'x'.repeat(3_000_000) },
        { type: 'reasoning', text: 'hm', state: 'done' },
        {
          type: 'dynamic-tool',
          toolName: 'Read',
          toolCallId: 'c1',
          state: 'output-available',
          input: {},
          output: [1, null],
        },
      ]
      const stored = message('u1', null, '', { parts, metadata: { model: 'a/b', interrupted: true } })
      await store.messages.add(at, stored)
      parts.push({ type: 'text', text: 'changed after' })
      const got = await (await reopen()).messages.get(at, 'u1')
      expect(got).toEqual({ ...stored, parts: parts.slice(0, 4) })
    })

    it('are handed out fresh', async () => {
      const { store } = ground()
      await addLine(store, at, 2)
      const first = await store.messages.chain(at, 'a1')
      first[0]!.parts.length = 0
      expect((await store.messages.chain(at, 'a1'))[0]!.parts).toHaveLength(1)
    })

    it('are rejected if they exist or their parent does not, and then nothing has changed', async () => {
      const { store } = ground()
      await addLine(store, at, 2)
      const before = await store.sessions.get('s1')
      await expect(store.messages.add(at, message('u1', null))).rejects.toMatchObject({
        name: 'MessageExists',
        status: 409,
      })
      await expect(store.messages.add(at, message('u2', 'lost'))).rejects.toMatchObject({
        name: 'MessageNotFound',
        status: 404,
      })
      expect(await store.sessions.get('s1')).toEqual(before)
      await store.sessions.create({ id: 's2', workspaceId: ground().workspaceId })
      await store.messages.add({ sessionId: 's2' }, message('u1', null))
      await expect(store.messages.add({ sessionId: 's2' }, message('u2', 'a1'))).rejects.toMatchObject({
        name: 'MessageNotFound',
      })
    })

    it('of sub-agents are separate conversations', async () => {
      const { store } = ground()
      await addLine(store, at, 2)
      await store.messages.add({ ...at, agentId: 'g1' }, message('u1', null, 'task'))
      expect((await store.messages.get({ ...at, agentId: 'g1' }, 'u1'))?.parts).toEqual([
        { type: 'text', text: 'task' },
      ])
      expect((await store.messages.branch(at)).leafMessageId).toBe('a1')
      expect((await store.messages.branch({ ...at, agentId: 'g1' })).leafMessageId).toBe('u1')
      expect((await store.sessions.get('s1'))?.messageCount).toBe(2)
      expect((await store.messages.branch({ ...at, agentId: 'g2' })).messages).toEqual([])
    })

    it('can be replaced only in parts and metadata', async () => {
      const { store } = ground()
      await addLine(store, at, 3)
      const next = { id: 'a1', parts: [{ type: 'text' as const, text: 'better' }], metadata: { model: 'x/y' } }
      await store.messages.replace(at, next)
      expect(await store.messages.get(at, 'a1')).toEqual({ ...message('a1', 'u1'), ...next })
      await store.messages.replace(at, { id: 'a1', parts: [] })
      expect(await store.messages.get(at, 'a1')).toEqual(message('a1', 'u1', '', { parts: [] }))
      await expect(store.messages.replace(at, { id: 'lost', parts: [] })).rejects.toMatchObject({
        name: 'MessageNotFound',
      })
    })

    it('form a chain from the root to a leaf', async () => {
      const { store } = ground()
      await addLine(store, at, 6)
      await store.messages.add(at, message('b2', 'a1'))
      expect((await store.messages.chain(at, 'a3')).map((m) => m.id)).toEqual(['u1', 'a1', 'u2', 'a2', 'u3', 'a3'])
      expect((await store.messages.chain(at, 'b2')).map((m) => m.id)).toEqual(['u1', 'a1', 'b2'])
      expect((await store.messages.chain(at, 'u1')).map((m) => m.id)).toEqual(['u1'])
      await expect(store.messages.chain(at, 'lost')).rejects.toMatchObject({ name: 'MessageNotFound' })
    })

    it('are shown from the tail, page by page', async () => {
      const { store } = ground()
      expect(await store.messages.branch(at)).toEqual({
        leafMessageId: null,
        messages: [],
        siblings: {},
        page: { hasMore: false, before: null },
      })
      await addLine(store, at, 120)
      const last = await store.messages.branch(at)
      expect(last.messages.map((m) => m.id).slice(-2)).toEqual(['u60', 'a60'])
      expect(last.messages).toHaveLength(50)
      expect(last.page).toEqual({ hasMore: true, before: 'u36' })
      const middle = await store.messages.branch(at, { leaf: 'a60', before: 'u36' })
      expect(middle.messages.map((m) => m.id).at(-1)).toBe('a35')
      expect(middle.page.before).toBe('u11')
      const first = await store.messages.branch(at, { before: 'u11', limit: 100 })
      expect(first.messages.map((m) => m.id)).toEqual((await store.messages.chain(at, 'a10')).map((m) => m.id))
      expect(first.page).toEqual({ hasMore: false, before: null })
      expect((await store.messages.branch(at, { before: 'u1' })).messages).toEqual([])
      await expect(store.messages.branch(at, { leaf: 'lost' })).rejects.toMatchObject({ name: 'MessageNotFound' })
      await expect(store.messages.branch(at, { before: 'lost' })).rejects.toMatchObject({ name: 'MessageNotFound' })
    })

    it('know their place among their siblings', async () => {
      const { store } = ground()
      await addLine(store, at, 2)
      await store.messages.add(at, message('a1b', 'u1', 'again', { createdAt: 3000 }))
      await store.messages.add(at, message('a1c', 'u1', 'earlier clock', { createdAt: 2000 }))
      await store.messages.add(at, message('a1d', 'u1', 'same clock', { createdAt: 2000 }))
      await store.messages.add(at, message('u1b', null, 'edited'))
      const place = async (leaf: string) => (await store.messages.branch(at, { leaf })).siblings[leaf]
      expect(await place('a1')).toEqual({ index: 1, total: 4, prev: null, next: 'a1c' })
      expect(await place('a1c')).toEqual({ index: 2, total: 4, prev: 'a1', next: 'a1d' })
      expect(await place('a1d')).toEqual({ index: 3, total: 4, prev: 'a1c', next: 'a1b' })
      expect(await place('a1b')).toEqual({ index: 4, total: 4, prev: 'a1d', next: null })
      expect(await place('u1')).toEqual({ index: 1, total: 2, prev: null, next: 'u1b' })
      expect((await store.messages.branch(at)).leafMessageId).toBe('u1b')
    })

    it('have a newest leaf, in the whole tree and below each message', async () => {
      const { store } = ground()
      expect(await store.messages.latestLeaf(at)).toBeUndefined()
      await addLine(store, at, 4)
      await store.messages.add(at, message('a1b', 'u1'))
      await store.messages.add(at, message('u2b', 'a1'))
      await store.messages.add(at, message('u3', 'a1b'))
      expect(await store.messages.latestLeaf(at)).toBe('u3')
      expect(await store.messages.latestLeaf(at, 'u1')).toBe('u3')
      expect(await store.messages.latestLeaf(at, 'a1')).toBe('u2b')
      expect(await store.messages.latestLeaf(at, 'u2')).toBe('a2')
      expect(await store.messages.latestLeaf(at, 'a2')).toBe('a2')
      expect(await store.messages.latestLeaf(at, 'lost')).toBeUndefined()
    })

    it('are deleted with everything below them, including run logs, and no id is reused', async () => {
      const { store, workspaceId } = ground()
      await addLine(store, at, 6)
      await store.messages.add(at, message('b2', 'a1', 'kept'))
      await store.runs.put(runRecord('r1', 's1', { userMessageId: 'u1', messageId: 'a1', status: 'done' }))
      await store.runs.put(
        runRecord('r2', 's1', { userMessageId: 'u2', messageId: 'a2', status: 'done', fromNumber: 5 }),
      )
      await store.frames.append([textFrame('r1', 1, 0, 'hello'), textFrame('r2', 1, 5, 'goodbye')])
      expect(await store.messages.remove(at, 'u2')).toEqual(['u2', 'a2', 'u3', 'a3'])
      expect((await store.messages.branch(at)).messages.map((m) => m.id)).toEqual(['u1', 'a1', 'b2'])
      expect((await store.sessions.get('s1'))?.messageCount).toBe(3)
      expect(await store.messages.search({ workspaceId, query: 'text of a3' })).toEqual([])
      expect((await store.runs.ofSession('s1')).map((run) => run.id)).toEqual(['r1'])
      expect(await store.frames.read('r2')).toEqual([])
      expect(await store.runs.lastNumber('s1')).toBe(12)
      await expect(store.messages.remove(at, 'u2')).rejects.toMatchObject({ name: 'MessageNotFound' })
      await store.messages.add(at, message('u2', 'a1'))
      expect(await store.messages.latestLeaf(at)).toBe('u2')
      expect(await store.messages.strays(at)).toEqual([])
    })

    it('that are deleted are invisible, and are restored completely', async () => {
      const { store, workspaceId, reopen } = ground()
      await addLine(store, at, 6)
      await store.messages.add(at, message('b2', 'a1', 'kept'))
      await store.runs.put(runRecord('r2', 's1', { userMessageId: 'u2', messageId: 'a2', status: 'done' }))
      const before = { tree: await store.messages.tree(at), page: await store.messages.branch(at, { leaf: 'a3' }) }
      const { id, messageIds } = await store.messages.takeOut(at, { below: 'u2' })
      expect(messageIds).toEqual(['u2', 'a2', 'u3', 'a3'])
      expect((await store.messages.branch(at)).messages.map((m) => m.id)).toEqual(['u1', 'a1', 'b2'])
      expect((await store.sessions.get('s1'))?.messageCount).toBe(3)
      expect(await store.messages.search({ workspaceId, query: 'text of a3' })).toEqual([])
      expect(await store.messages.strays(at)).toEqual([])
      await expect(store.messages.takeOut(at, { below: 'u2' })).rejects.toMatchObject({ name: 'MessageNotFound' })
      await expect(store.messages.bringBack({ sessionId: 'other' }, id)).rejects.toMatchObject({
        name: 'RemovalNotFound',
        status: 404,
      })
      const later = await reopen()
      expect(await later.messages.bringBack(at, id)).toEqual(messageIds)
      expect(await later.messages.tree(at)).toEqual(before.tree)
      expect(await later.messages.branch(at, { leaf: 'a3' })).toEqual(before.page)
      expect((await later.sessions.get('s1'))?.messageCount).toBe(7)
      expect(await later.messages.search({ workspaceId, query: 'text of a3' })).toHaveLength(1)
      expect(await later.runs.ofMessage('s1', 'a2')).toHaveLength(1)
      await expect(later.messages.bringBack(at, id)).rejects.toMatchObject({ name: 'RemovalNotFound' })
    })

    it('are deleted except one branch; a message deleted with its parent is restored only after it', async () => {
      const { store } = ground()
      await addLine(store, at, 4)
      await store.messages.add(at, message('b2', 'a1'))
      await store.messages.add(at, message('b1', null))
      const ids = async () => (await store.messages.tree(at)).map((m) => m.id)
      const inner = await store.messages.takeOut(at, { below: 'a2' })
      const kept = await store.messages.takeOut(at, { allBut: 'b2' })
      expect(kept.messageIds).toEqual(['u2', 'b1'])
      expect(await ids()).toEqual(['u1', 'a1', 'b2'])
      expect((await store.messages.takeOut(at, { allBut: 'b2' })).messageIds).toEqual([])
      await expect(store.messages.takeOut(at, { allBut: 'lost' })).rejects.toMatchObject({ name: 'MessageNotFound' })
      await expect(store.messages.bringBack(at, inner.id)).rejects.toMatchObject({ name: 'ParentGone', status: 409 })
      await store.messages.bringBack(at, kept.id)
      await store.messages.bringBack(at, inner.id)
      expect(await ids()).toEqual(['u1', 'a1', 'u2', 'a2', 'b2', 'b1'])
      const again = await store.messages.takeOut(at, { below: 'b1' })
      await store.messages.add(at, message('b1', null, 'another'))
      await expect(store.messages.bringBack(at, again.id)).rejects.toMatchObject({ name: 'MessageExists' })
    })

    it('are summarized, with any content', async () => {
      const { store } = ground()
      const usage = { inputTokens: 3, outputTokens: 4, totalTokens: 7 }
      await store.messages.add(at, message('u1', null, `"quoted" \\ and\n\ta line 😀 ${'word '.repeat(40)}`))
      const parts = [
        { type: 'tool-Bash', toolCallId: 'c', state: 'output-available', input: {}, output: 'x'.repeat(5000) },
      ]
      await store.messages.add(at, {
        ...message('a1', 'u1', '', {
          parts: parts as Part[],
          metadata: { model: 'a/b', usage, cost: 0.5, subAgents: { tokens: 5, cost: 0.25 }, aborted: true },
        }),
        role: 'assistant',
      })
      await store.messages.add(at, message('u2', 'a1', '\\'.repeat(4000)))
      const [first, second, third] = await store.messages.tree(at)
      expect(first).toMatchObject({ id: 'u1', parentMessageId: null })
      expect(first?.text).toMatch(/^"quoted" \\ and a line 😀 word .*…$/)
      expect(second).toMatchObject({
        parentMessageId: 'u1',
        role: 'assistant',
        text: 'Bash',
        model: 'a/b',
        tokens: 12,
        cost: 0.75,
        ending: 'stopped',
      })
      expect(third?.text).toBe(`${'\\'.repeat(90)}…`)
      expect(await store.messages.tree({ ...at, agentId: 'g1' })).toEqual([])
    })

    it('that contain a text are found in the order of the branch, then in other branches', async () => {
      const { store } = ground()
      await store.messages.add(at, message('u1', null, 'A Café, a cafe'))
      await store.messages.add(at, message('b1', 'u1', 'another café'))
      await store.messages.add(at, message('a1', 'u1', 'no coffee'))
      await store.messages.add(at, message('u2', 'a1', 'Is the café\nopen? 100%'))
      const found = async (text: string) => {
        const { matches } = await store.messages.matches(at, { text, leaf: 'u2' })
        return matches.map(({ messageId, count, isOnBranch }) => [messageId, count, isOnBranch])
      }
      expect(await found('CAFÉ')).toEqual([
        ['u1', 2, true],
        ['u2', 1, true],
        ['b1', 1, false],
      ])
      expect(await found('café open')).toEqual([['u2', 1, true]])
      expect(await found('%')).toEqual([['u2', 1, true]])
      expect(await found('nothing')).toEqual([])
      expect((await store.messages.matches(at, { text: 'open' })).matches[0]?.snippet).toContain('\uE000open\uE001')
    })

    it('that contain a text in a call’s input or result are found with the call', async () => {
      const { store, workspaceId } = ground()
      const call = (toolCallId: string, input: object, text: string) => ({
        type: 'tool-Bash' as const,
        toolCallId,
        state: 'output-available' as const,
        input,
        output: { text, sha256: 'feedface' },
        toolMetadata: { troupe: { display: { title: 'A command', content: { kind: 'terminal', text } } } },
      })
      const said = (text: string) => ({ type: 'text' as const, text })
      const parts = [
        said('The needle first.'),
        call('c1', { command: 'grep -r needle' }, 'src/a.ts: \u001b[31mnee\u001b[0mdle'),
        call('c2', { nested: [{ path: 'docs/Ünique.md' }] }, 'nothing of it'),
        said('No needle. A needle?'),
        { ...call('c3', {}, ''), state: 'output-error' as const, errorText: 'needle: not found' },
      ]
      await store.messages.add(at, { ...message('a1', null, ''), role: 'assistant', parts: parts as Part[] })
      const found = async (text: string) => {
        const { matches } = await store.messages.matches(at, { text, leaf: 'a1' })
        return matches.map(({ messageId, count, calls }) => [messageId, count, calls])
      }
      const needles = [
        { toolCallId: 'c1', after: 1 },
        { toolCallId: 'c3', after: 3 },
      ]
      expect(await found('needle')).toEqual([['a1', 3, needles]])
      expect(await found('unique')).toEqual([['a1', 0, [{ toolCallId: 'c2', after: 0 }]]])
      expect(await found('a command')).toHaveLength(1)
      expect(await found('feedface')).toEqual([])
      expect(await found('terminal')).toEqual([])
      const [hit] = await store.messages.search({ workspaceId, query: 'ünique.md' })
      expect(hit?.snippet).toContain('docs/\uE000Ünique.md\uE001')
    })

    it('keep their call ids reserved in the session, even if deleted', async () => {
      const { store } = ground()
      const call = (toolCallId: string) => ({
        type: 'tool-Look' as const,
        toolCallId,
        state: 'output-available' as const,
        input: {},
        output: 1,
      })
      await store.messages.add(at, message('u1', null))
      await store.messages.add(at, { ...message('a1', 'u1'), role: 'assistant', parts: [call('c1')] })
      await store.messages.replace(at, { id: 'a1', parts: [call('c1'), call('c2')] })
      await store.messages.remove(at, 'a1')
      expect((await store.calls.ids('s1')).toSorted()).toEqual(['c1', 'c2'])
      expect(await store.calls.ids('other')).toEqual([])
    })

    it('the last calls of a workspace are found newest first, only complete ones, on every branch and agent', async () => {
      const { store, workspaceId, otherWorkspaceId } = ground()
      const called = (toolCallId: string, state = 'output-available') =>
        ({ type: 'tool-Look', toolCallId, state, input: { of: toolCallId } }) as Part
      await store.messages.add(at, message('u1', null))
      await store.messages.add(at, { ...message('a1', 'u1'), parts: [called('c1'), called('c2')] })
      await store.messages.add(at, { ...message('a2', 'u1'), parts: [called('half', 'input-streaming')] })
      await store.messages.add(
        { ...at, agentId: 'g1' },
        { ...message('a1', null), parts: [called('c3', 'output-error')] },
      )
      for (let i = 3; i < 120; i++) await store.messages.add(at, message(`a${i}`, 'u1', 'says "toolCallId"'))
      await store.sessions.create({ id: 's2', workspaceId })
      await store.messages.add(
        { sessionId: 's2' },
        {
          ...message('a1', null),
          createdAt: 7,
          metadata: { model: 'x/y' },
          parts: [called('c4')],
        },
      )
      await store.sessions.create({ id: 's3', workspaceId: otherWorkspaceId })
      await store.messages.add({ sessionId: 's3' }, { ...message('a1', null), parts: [called('c5')] })
      const found = await store.calls.recent({ workspaceId, limit: 10 })
      expect(found.map((call) => call.toolCallId)).toEqual(['c4', 'c3', 'c2', 'c1'])
      expect(found[0]).toEqual({
        sessionId: 's2',
        toolCallId: 'c4',
        toolName: 'Look',
        input: { of: 'c4' },
        model: 'x/y',
        createdAt: 7,
      })
      const few = await store.calls.recent({ workspaceId, limit: 3 })
      expect(few.map((call) => call.toolCallId)).toEqual(['c4', 'c3', 'c2'])
    })
  })
}
