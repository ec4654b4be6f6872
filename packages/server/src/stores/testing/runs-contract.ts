import type { Frame } from '@troupe/protocol'
import { describe, expect, it } from 'vitest'
import { ask, type ContractSetup, runRecord, textFrame } from './builders.ts'

export function runsContract(ground: () => ContractSetup): void {
  describe('runs', () => {
    it('round-trip with their request and their newest state', async () => {
      const { store, reopen } = ground()
      const run = runRecord('r1', 's1', { request: { model: 'a/b', limits: { steps: 3 }, text: '\u0000' } })
      await store.runs.put(run)
      await store.runs.put({ ...run, status: 'waiting' })
      expect(await store.runs.get('r1')).toEqual({ ...run, status: 'waiting' })
      await store.runs.put({ ...run, status: 'done', endedAt: 77 })
      expect(await (await reopen()).runs.get('r1')).toEqual({ ...run, status: 'done', endedAt: 77 })
    })

    it('are refused without a session or under a bad id', async () => {
      const { store } = ground()
      await expect(store.runs.put(runRecord('r2', 'nobody'))).rejects.toMatchObject({ name: 'SessionNotFound' })
      await expect(store.runs.put(runRecord('../r', 's1'))).rejects.toMatchObject({ name: 'InvalidId' })
      expect(await store.runs.get('nobody')).toBeUndefined()
    })

    it('are found by unfinished state, by session and by answer', async () => {
      const { store } = ground()
      await store.runs.put(runRecord('r3', 's1', { createdAt: 3, status: 'waiting' }))
      await store.runs.put(runRecord('r1', 's1', { createdAt: 1 }))
      await store.runs.put(runRecord('r2', 's1', { createdAt: 2, status: 'done', agentId: 'g1' }))
      await store.runs.put(runRecord('r4', 's1', { createdAt: 4, status: 'failed', messageId: 'a9' }))
      const ids = (runs: { id: string }[]) => runs.map((run) => run.id)
      expect(ids(await store.runs.unfinished())).toEqual(['r1', 'r3'])
      expect(ids(await store.runs.ofSession('s1'))).toEqual(['r1', 'r2', 'r3', 'r4'])
      expect(ids(await store.runs.ofMessage('s1', 'a1'))).toEqual(['r3', 'r2', 'r1'])
      expect(ids(await store.runs.ofMessage('other', 'a1'))).toEqual([])
    })

    it('know the highest number of their session', async () => {
      const { store, workspaceId } = ground()
      expect(await store.runs.lastNumber('s1')).toBe(0)
      expect(await store.runs.lastNumber('nobody')).toBe(0)
      await store.runs.put(runRecord('r1', 's1', { fromNumber: 10 }))
      expect(await store.runs.lastNumber('s1')).toBe(10)
      await store.frames.append([textFrame('r1', 1, 10, 'abcde'), textFrame('r1', 2, 15, 'f')])
      expect(await store.runs.lastNumber('s1')).toBe(16)
      await store.sessions.create({ id: 's2', workspaceId })
      expect(await store.runs.lastNumber('s2')).toBe(0)
    })
  })

  describe('frames', () => {
    it('are written together with the runs that begin with them, or not at all', async () => {
      const { store } = ground()
      const frame = textFrame('r1', 1, 0, 'abc')
      await expect(store.frames.append([frame], [runRecord('r1', 'nobody')])).rejects.toMatchObject({
        name: 'SessionNotFound',
      })
      expect(await store.frames.read('r1')).toEqual([])
      await store.frames.append([frame], [runRecord('r1', 's1')])
      expect(await store.runs.get('r1')).toEqual(runRecord('r1', 's1'))
      expect(await store.frames.read('r1')).toEqual([frame])
    })

    it('of many runs are written in one call and read in order', async () => {
      const { store, reopen } = ground()
      const all: Frame[] = []
      for (let run = 0; run < 500; run++) {
        await store.transaction((inside) => inside.runs.put(runRecord(`r${run}`, 's1')))
        all.push(textFrame(`r${run}`, 1, 0, 'one '), textFrame(`r${run}`, 2, 4, 'two'))
      }
      await store.frames.append(all)
      await store.frames.append([])
      const again = await reopen()
      expect(await again.frames.read('r499')).toEqual([textFrame('r499', 1, 0, 'one '), textFrame('r499', 2, 4, 'two')])
      expect(await again.frames.read('r7', 4)).toEqual([textFrame('r7', 2, 4, 'two')])
      expect(await again.frames.read('r7', 6)).toHaveLength(1)
      expect(await again.frames.read('r7', undefined, 1)).toEqual([textFrame('r7', 1, 0, 'one ')])
      expect(await again.frames.read('r7', 7)).toEqual([])
      expect(await again.frames.read('nobody')).toEqual([])
    })

    it('are written completely or not at all', async () => {
      const { store } = ground()
      await store.runs.put(runRecord('r1', 's1'))
      await store.frames.append([textFrame('r1', 1, 0, 'abc')])
      const clash = [textFrame('r1', 2, 3, 'def'), textFrame('r1', 1, 6, 'again')]
      await expect(store.frames.append(clash)).rejects.toThrow(/unique|duplicate/i)
      expect(await store.frames.read('r1')).toEqual([textFrame('r1', 1, 0, 'abc')])
    })

    it('that continue each other are merged into one, deltas joined', async () => {
      const { store } = ground()
      await store.runs.put(runRecord('r1', 's1'))
      const note: Frame = { runId: 'r1', seq: 3, from: 6, to: 6, items: [{ type: '$step', step: 1, attempt: 1 }] }
      await store.frames.append([
        textFrame('r1', 1, 0, 'abc'),
        textFrame('r1', 2, 3, 'def'),
        note,
        textFrame('r1', 4, 6, 'g'),
      ])
      await store.frames.append([textFrame('r1', 5, 7, 'h', '1')])
      await store.frames.merge('r1')
      expect(await store.frames.read('r1')).toEqual([
        {
          runId: 'r1',
          seq: 1,
          from: 0,
          to: 8,
          items: [
            { type: 'text-delta', id: '0', delta: 'abcdef' },
            { type: '$step', step: 1, attempt: 1 },
            { type: 'text-delta', id: '0', delta: 'g' },
            { type: 'text-delta', id: '1', delta: 'h' },
          ],
        },
      ])
      await store.frames.merge('r1')
      expect(await store.frames.read('r1')).toHaveLength(1)
      expect(await store.runs.lastNumber('s1')).toBe(8)
      await store.frames.merge('nobody')
    })

    it('after a gap in the ids are not joined', async () => {
      const { store } = ground()
      await store.runs.put(runRecord('r1', 's1'))
      await store.frames.append([textFrame('r1', 1, 0, 'ab'), textFrame('r1', 2, 2, 'c')])
      await store.frames.append([textFrame('r1', 3, 1003, 'd'), textFrame('r1', 4, 1004, 'ef')])
      await store.frames.merge('r1')
      expect(await store.frames.read('r1')).toEqual([textFrame('r1', 1, 0, 'abc'), textFrame('r1', 3, 1003, 'def')])
      expect(await store.frames.read('r1', 500)).toEqual([textFrame('r1', 3, 1003, 'def')])
      await store.frames.append([textFrame('r1', 5, 1006, 'g')])
      expect(await store.runs.lastNumber('s1')).toBe(1007)
    })
  })

  describe('asks', () => {
    it('are opened once and stay unchanged', async () => {
      const { store, workspaceId, reopen } = ground()
      const first = ask('k1', 's1', {
        input: { deep: [1, { a: null }] },
        summary: 'short',
        rule: 'Write',
        remember: ['Write(/a)'],
      })
      expect(await store.asks.open(first)).toEqual(first)
      expect(await store.asks.open({ ...first, title: 'other' })).toEqual(first)
      await store.sessions.create({ id: 's2', workspaceId })
      await expect(store.asks.open(ask('k1', 's2'))).rejects.toMatchObject({ name: 'AskExists' })
      await expect(store.asks.open(ask('../k', 's1'))).rejects.toMatchObject({ name: 'InvalidId' })
      await expect(store.asks.open(ask('k2', 'nobody'))).rejects.toMatchObject({ name: 'SessionNotFound' })
      expect(await (await reopen()).asks.get('k1')).toEqual(first)
    })

    it('are answered once', async () => {
      const { store } = ground()
      await store.asks.open(ask('k1', 's1'))
      const answer = { type: 'approve' as const, remember: 'session' as const, input: { path: 'b.txt' } }
      const answered = await store.asks.answer('k1', answer)
      expect(answered).toMatchObject({ id: 'k1', answer })
      expect(answered.closedAt).toBeTypeOf('number')
      expect(await store.asks.get('k1')).toEqual(answered)
      await expect(store.asks.answer('k1', { type: 'deny' })).rejects.toMatchObject({ name: 'AskClosed', status: 409 })
      await expect(store.asks.answer('k2', answer)).rejects.toMatchObject({ name: 'AskNotFound', status: 404 })
      const [first, second] = await Promise.allSettled([
        store.asks.open(ask('k3', 's1')).then(() => store.asks.answer('k3', answer)),
        store.asks.open(ask('k3', 's1')).then(() => store.asks.answer('k3', { type: 'deny' })),
      ])
      expect([first.status, second.status].toSorted()).toEqual(['fulfilled', 'rejected'])
    })

    it('are closed one by one without an answer', async () => {
      const { store } = ground()
      await store.asks.open(ask('k1', 's1'))
      await store.asks.open(ask('k2', 's1'))
      await store.asks.answer('k2', { type: 'approve' })
      await store.asks.close('k1')
      await store.asks.close('k2')
      await store.asks.close('nobody')
      expect(await store.asks.get('k1')).toMatchObject({ answer: null, closedAt: expect.any(Number) as number })
      expect(await store.asks.get('k2')).toMatchObject({ answer: { type: 'approve' } })
      await expect(store.asks.answer('k1', { type: 'deny' })).rejects.toMatchObject({ name: 'AskClosed' })
    })

    it('are listed by session, run and state, and closed with their run', async () => {
      const { store, workspaceId } = ground()
      await store.sessions.create({ id: 's2', workspaceId })
      await store.asks.open(ask('k1', 's1', { createdAt: 2 }))
      await store.asks.open(ask('k2', 's1', { createdAt: 1, runId: 'r2' }))
      await store.asks.open(ask('k3', 's2', { createdAt: 3 }))
      const ids = async (options: Parameters<typeof store.asks.list>[0]) =>
        (await store.asks.list(options)).map((one) => one.id)
      expect(await ids({})).toEqual(['k2', 'k1', 'k3'])
      expect(await ids({ sessionId: 's1' })).toEqual(['k2', 'k1'])
      expect(await ids({ sessionId: 's1', runId: 'r1' })).toEqual(['k1'])
      await store.asks.closeRun('r1')
      expect(await ids({ open: true })).toEqual(['k2'])
      expect(await ids({ open: false })).toEqual(['k1', 'k3'])
      expect(await store.asks.get('k1')).toMatchObject({ answer: null })
      await expect(store.asks.answer('k1', { type: 'deny' })).rejects.toMatchObject({ name: 'AskClosed' })
    })
  })
}
