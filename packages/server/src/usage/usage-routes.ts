import type { Store } from '@troupe/core'
import { usageEndpoints, type UsageTotal } from '@troupe/protocol'
import { implement, type Route } from '../http/route.ts'
import { dayOf, type Spending } from './spending.ts'

export function usageRoutes(options: { store: Pick<Store, 'usage'>; spending: Spending }): Route[] {
  const { store, spending } = options
  return implement(usageEndpoints, {
    'GET /ai/usage': async ({ query }) => {
      await spending.flush()
      const today = new Date()
      const first = new Date(today)
      first.setDate(first.getDate() - Number(query.days) + 1)
      const from = dayOf(first)
      const totals = await store.usage.totals({ from })
      return { from, to: dayOf(today), total: sum(totals.days), ...totals, budget: spending.budget() }
    },
  })
}

function sum(days: readonly UsageTotal[]): UsageTotal {
  const total = { calls: 0, inputTokens: 0, cachedTokens: 0, outputTokens: 0, cost: 0, unpricedTokens: 0 }
  for (const day of days) for (const name of Object.keys(total) as (keyof UsageTotal)[]) total[name] += day[name]
  return total
}
