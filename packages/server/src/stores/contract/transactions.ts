import type { ContractSetup } from './make.ts'
import { describe, expect, it } from 'vitest'
import type { Store } from '@troupe/core'
import { message, runRecord } from './make.ts'

const at = { sessionId: 's1' }

export function transactionsContract(ground: () => ContractSetup): void {
  describe('transactions', () => {
    it('commit several writes as one and give back a value', async () => {
      const { store } = ground()
      const value = await store.transaction(async (inside) => {
        await inside.messages.add(at, message('u1', null))
        await inside.runs.create(runRecord('r1', 's1'))
        return (await inside.messages.branch(at)).leafMessageId
      })
      expect(value).toBe('u1')
      expect(await store.runs.get('r1')).toBeDefined()
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

    it('go on after a refusal that was caught inside', async () => {
      const { store } = ground()
      await store.transaction(async (inside) => {
        await inside.messages.add(at, message('u1', null))
        await expect(inside.messages.add(at, message('u1', null))).rejects.toMatchObject({ name: 'MessageExists' })
        await inside.messages.add(at, message('a1', 'u1'))
      })
      expect((await store.messages.chain(at, 'a1')).map((m) => m.id)).toEqual(['u1', 'a1'])
      expect((await store.sessions.get('s1'))?.messageCount).toBe(2)
    })

    it('make others wait, and all of them come to an end', async () => {
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
      expect(order.indexOf('read sees u1')).toBeGreaterThan(order.indexOf('first is done'))
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
