import type { Store } from '@troupe/core'
import { type BudgetInfo, type BudgetPeriod, budgetPeriods } from '@troupe/protocol'

/** The person, folder and model that a call counts for. */
export interface Payer {
  person?: string | undefined
  folder?: string | undefined
  model?: string | undefined
}

/** A budget for the calls of a person, a workspace or a model. */
export interface BudgetAccount {
  of: NonNullable<BudgetInfo['of']>
  filter: Payer
  limits: Partial<Record<BudgetPeriod, number>>
}

/** Spending of an account. */
export interface Spent extends Record<BudgetPeriod, { key: string; cost: number }> {
  /** Estimated cost of the calls in flight. */
  reserved: number
  /** Cost of all calls of this process. */
  counted: number
  readAt: number
}

/** The budgets and their costs: for everything, and in team mode for people, workspaces and models. */
export function createBudgetAccounts(options: {
  store: Pick<Store, 'usage'>
  limits(): Partial<Record<BudgetPeriod, number>>
  accounts?: ((payer: Payer) => readonly BudgetAccount[]) | undefined
  /** Costs are read again after this time. Default: never. */
  freshMs?: number | undefined
  /** Stores what is counted but not stored. */
  flush(): Promise<void>
  now: () => Date
}) {
  const { store, limits, freshMs = Infinity, flush, now } = options
  const accounts = new Map<string, Spent>()
  return { accountsOf, load, spentOf, knownAccounts, roll, limitsOf }

  /** Everything that a call counts for. */
  function accountsOf(payer: Payer): readonly (Omit<BudgetAccount, 'of'> & Partial<BudgetAccount>)[] {
    const all = { filter: {}, limits: limits() }
    return options.accounts === undefined ? [all] : [all, ...options.accounts(payer)]
  }

  /** Reads the costs of accounts that are new or old. */
  async function load(payer: Payer): Promise<void> {
    for (const account of accountsOf(payer)) await spentOf(account)
  }

  async function spentOf(account: Omit<BudgetAccount, 'of'>): Promise<Spent> {
    const key = accountKey(account.filter)
    const known = accounts.get(key)
    if (known !== undefined && performance.now() - known.readAt < freshMs) return known
    const at = now()
    const keys = { day: dayOf(at), month: monthOf(at) }
    const before = known?.counted ?? 0
    if (known !== undefined) {
      // One reader is enough.
      known.readAt = performance.now()
      await flush()
    }
    const [day, month] = await Promise.all(
      budgetPeriods.map((period) => store.usage.cost(keys[period], account.filter)),
    )
    const fresh = accounts.get(key) ?? { day: newPeriod(), month: newPeriod(), reserved: 0, counted: 0, readAt: 0 }
    // Calls that were counted while the costs were read.
    const since = fresh.counted - before
    Object.assign(fresh, {
      day: { key: keys.day, cost: (day ?? 0) + since },
      month: { key: keys.month, cost: (month ?? 0) + since },
      readAt: performance.now(),
    })
    accounts.set(key, fresh)
    return fresh
  }

  function knownAccounts(payer: Payer): Spent[] {
    return accountsOf(payer).flatMap(({ filter }) => accounts.get(accountKey(filter)) ?? [])
  }

  /** Starts a new day or month at zero. */
  function roll(): void {
    const at = now()
    const keys = { day: dayOf(at), month: monthOf(at) }
    for (const account of accounts.values())
      for (const period of budgetPeriods)
        if (account[period].key !== keys[period]) account[period] = { key: keys[period], cost: 0 }
  }

  function limitsOf(payer: Payer): (BudgetInfo & { reserved: number })[] {
    return accountsOf(payer).flatMap(({ of, filter, limits: given }) => {
      const spent = accounts.get(accountKey(filter))
      return budgetPeriods.flatMap((period) => {
        const limit = given[period]
        if (limit === undefined || spent === undefined) return []
        return [{ ...(of !== undefined && { of }), period, limit, spent: spent[period].cost, reserved: spent.reserved }]
      })
    })
  }
}

function newPeriod(): Spent['day'] {
  return { key: '', cost: 0 }
}

function accountKey({ person, folder, model }: Payer): string {
  return JSON.stringify([person, folder, model])
}

/** Local date: a budget's day is the user's. */
export function dayOf(date: Date): string {
  const [month, day] = [date.getMonth() + 1, date.getDate()].map((number) => String(number).padStart(2, '0'))
  return `${date.getFullYear()}-${month}-${day}`
}

function monthOf(date: Date): string {
  return dayOf(date).slice(0, 'YYYY-MM'.length)
}
