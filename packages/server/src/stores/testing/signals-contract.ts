import { describe, expect, it } from 'vitest'
import type { ContractSetup } from './builders.ts'

export function signalsContract(ground: () => ContractSetup): void {
  describe('signals', () => {
    function collect(): {
      seen: string[]
      onSignal(payload: string): void
      onReconnect(): void
      has(payload: string): Promise<void>
    } {
      const seen: string[] = []
      const waiting = new Map<string, () => void>()
      return {
        seen,
        onReconnect: () => undefined,
        onSignal(payload) {
          seen.push(payload)
          waiting.get(payload)?.()
        },
        has: (payload) =>
          seen.includes(payload) ? Promise.resolve() : new Promise((resolve) => waiting.set(payload, resolve)),
      }
    }

    it('reach all listeners of their channel in order, and none of another', async () => {
      const { store } = ground()
      const [one, two, other] = [collect(), collect(), collect()]
      await store.signals.listen('runs', one)
      const stop = await store.signals.listen('runs', two)
      await store.signals.listen('asks', other)
      const texts = ['a', 'ä"\'\\\n', 'x'.repeat(7999), '']
      for (const text of texts) await store.signals.notify('runs', text)
      await store.signals.notify('runs', 'last')
      await Promise.all([one.has('last'), two.has('last')])
      expect(one.seen).toEqual([...texts, 'last'])
      expect(two.seen).toEqual(one.seen)
      await stop()
      await store.signals.notify('runs', 'more')
      await store.signals.notify('asks', 'own')
      await Promise.all([one.has('more'), other.has('own')])
      expect(two.seen).not.toContain('more')
      expect(other.seen).toEqual(['own'])
    })

    it('are sent with their commit, or not at all', async () => {
      const { store } = ground()
      const one = collect()
      await store.signals.listen('runs', one)
      await expect(
        store.transaction(async (inside) => {
          await inside.signals.notify('runs', 'never')
          throw new Error('no')
        }),
      ).rejects.toThrow('no')
      await store.transaction(async (inside) => {
        await inside.settings.set('a', 1)
        await inside.signals.notify('runs', 'stored')
        expect(one.seen).toEqual([])
      })
      await one.has('stored')
      expect(await store.settings.get('a')).toBe(1)
      expect(one.seen).toEqual(['stored'])
    })

    it('are refused if too long, or on a channel that is no name', async () => {
      const { store } = ground()
      const refused = { name: 'InvalidSignal', status: 400 }
      await expect(store.signals.notify('runs', 'ä'.repeat(4000))).rejects.toMatchObject(refused)
      await expect(store.signals.notify('runs', 'a\0b')).rejects.toMatchObject(refused)
      for (const channel of ['', 'Runs', 'a b', 'a;drop', 'a"', 'ä', 'x'.repeat(64)]) {
        await expect(store.signals.notify(channel, '')).rejects.toMatchObject(refused)
        await expect(store.signals.listen(channel, collect())).rejects.toMatchObject(refused)
      }
    })
  })
}
