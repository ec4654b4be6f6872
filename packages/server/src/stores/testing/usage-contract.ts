import type { UsageEntry } from '@troupe/core'
import { describe, expect, it } from 'vitest'
import type { ContractSetup } from './builders.ts'

const entry = (fields: Partial<UsageEntry>): UsageEntry => ({
  day: '2026-11-16',
  model: 'shop/large',
  folder: '/work',
  calls: 1,
  inputTokens: 100,
  cachedTokens: 10,
  outputTokens: 20,
  cost: 0.25,
  unpricedTokens: 0,
  ...fields,
})

export function usageContract(ground: () => ContractSetup): void {
  describe('usage', () => {
    it('adds up by day, model and folder, and outlives a restart', async () => {
      const { store, reopen } = ground()
      await store.usage.add([entry({}), entry({ day: '2026-11-15', cost: 1 })])
      await store.usage.add([entry({}), entry({ model: 'shop/odd', cost: 0, unpricedTokens: 120, folder: '/other' })])
      await store.usage.add([])
      const again = await reopen()
      const { days, models, folders } = await again.usage.totals({ from: '2026-11-15' })
      expect(days.map(({ day, calls, cost }) => [day, calls, cost])).toEqual([
        ['2026-11-15', 1, 1],
        ['2026-11-16', 3, 0.5],
      ])
      expect(models.map(({ model, inputTokens, unpricedTokens }) => [model, inputTokens, unpricedTokens])).toEqual([
        ['shop/large', 300, 0],
        ['shop/odd', 100, 120],
      ])
      expect(folders.map(({ folder, cost }) => [folder, cost])).toEqual([
        ['/work', 1.5],
        ['/other', 0],
      ])
      expect((await again.usage.totals({ from: '2026-11-16' })).days).toHaveLength(1)
    })

    it('counts by person', async () => {
      const { store } = ground()
      await store.usage.add([entry({ person: 'ann' }), entry({ person: 'bob', cost: 2 }), entry({ cost: 4 })])
      await store.usage.add([entry({ person: 'ann', folder: '/other' })])
      const { people, days } = await store.usage.totals({ from: '2026-11-01' })
      expect(people.map(({ person, calls, cost }) => [person, calls, cost])).toEqual([
        ['bob', 1, 2],
        ['ann', 2, 0.5],
      ])
      expect(days[0]?.cost).toBe(6.5)
      expect((await store.usage.totals({ from: '2026-11-01', person: 'ann' })).days[0]?.cost).toBe(0.5)
      expect(await store.usage.cost('2026-11', { person: 'ann', folder: '/other' })).toBe(0.25)
      const rows = (await Array.fromAsync(store.usage.rows({ from: '2026-11-01', model: 'shop/large' }))).flat()
      expect(rows.map(({ person, folder, cost }) => [folder, person, cost])).toEqual([
        ['/other', 'ann', 0.25],
        ['/work', undefined, 4],
        ['/work', 'ann', 0.25],
        ['/work', 'bob', 2],
      ])
    })

    it('knows the cost of a day and of a month', async () => {
      const { store } = ground()
      await store.usage.add([entry({}), entry({ day: '2026-11-01', cost: 2 }), entry({ day: '2026-12-01', cost: 9 })])
      expect(await store.usage.cost('2026-11-16')).toBe(0.25)
      expect(await store.usage.cost('2026-11')).toBe(2.25)
      expect(await store.usage.cost('2025-01')).toBe(0)
    })
  })
}
