import type { Store, UsageEntry, UsageFilter } from '@troupe/core'
import { usageEndpoints, type UsageTotal } from '@troupe/protocol'
import { isAdmin, type Principal, type Rights } from '../http/principal.ts'
import { download, implement, type Route } from '../http/route.ts'
import { csvLine } from '../util/csv.ts'
import { dayOf } from './budget-accounts.ts'
import type { Spending } from './spending.ts'

export function usageRoutes(options: { store: Pick<Store, 'usage' | 'workspaces'>; spending: Spending }): Route[] {
  const { store, spending } = options
  return implement(usageEndpoints, {
    'GET /ai/usage': async ({ principal, rights, query }) => {
      await spending.flush()
      const from = firstDay(Number(query.days))
      const folders = isAdmin(principal) ? undefined : await readable(rights)
      const totals = await store.usage.totals({ from, ...ownOnly(principal), ...(folders && { folders }) })
      const person = principal.kind === 'person' ? principal.person.id : undefined
      const budget = await spending.budgetsOf({ person })
      return { from, to: dayOf(new Date()), total: sum(totals.days), ...totals, budget }
    },
    'GET /ai/usage/export': async ({ principal, query }) => {
      await spending.flush()
      const rows = store.usage.rows({ from: firstDay(Number(query.days)), ...ownOnly(principal) })
      return download('usage.csv', usageCsv(rows))
    },
  })

  /** Folders that the caller may see. */
  async function readable(rights: Rights): Promise<string[]> {
    const all = await store.workspaces.list()
    const seen = await Promise.all(all.map(async ({ id }) => (await rights.workspace(id)) !== undefined))
    return all.filter((_, index) => seen[index]).map(({ path }) => path)
  }
}

/** Members of a team see what they used themselves. */
function ownOnly(principal: Principal): UsageFilter {
  if (isAdmin(principal)) return {}
  return { person: principal.kind === 'person' ? principal.person.id : '' }
}

function firstDay(days: number): string {
  const first = new Date()
  first.setDate(first.getDate() - days + 1)
  return dayOf(first)
}

const columns = [
  'day',
  'person',
  'folder',
  'model',
  'calls',
  'inputTokens',
  'cachedTokens',
  'outputTokens',
  'cost',
  'unpricedTokens',
] as const

async function* usageCsv(pages: AsyncIterable<UsageEntry[]>): AsyncGenerator<string> {
  yield csvLine(columns)
  for await (const page of pages) yield page.map((row) => csvLine(columns.map((name) => row[name]))).join('')
}

function sum(days: readonly UsageTotal[]): UsageTotal {
  const total = { calls: 0, inputTokens: 0, cachedTokens: 0, outputTokens: 0, cost: 0, unpricedTokens: 0 }
  for (const day of days) for (const name of Object.keys(total) as (keyof UsageTotal)[]) total[name] += day[name]
  return total
}
