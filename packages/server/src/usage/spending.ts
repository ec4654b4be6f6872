import {
  costOf,
  type Price,
  promptTokens,
  roughPromptTokens,
  type SpendGuard,
  type SpendRequest,
  type SpendTicket,
  type Store,
  type UsageEntry,
  type Workspace,
} from '@troupe/core'
import {
  type BudgetInfo,
  type BudgetPeriod,
  budgetPeriods,
  budgetWarningShare,
  NamedError,
  type Usage,
} from '@troupe/protocol'
import type { Logger } from '../util/logger.ts'
import { mediaCost, type MediaUsage, type PricedModel } from './media-cost.ts'

/** Counts what model calls cost, and stops them when the user's budget is used up. */
export interface Spending {
  /** The guard of one model's calls in a workspace. */
  guard(model: GuardedModel, workspace: Pick<Workspace, 'path'>): SpendGuard
  /** The guard of calls that make or read images, videos and speech. */
  mediaGuard(model: GuardedModel & PricedModel, workspace: Pick<Workspace, 'path'>): MediaGuard
  budget(): BudgetInfo[]
  /** Tells the watcher when a budget is nearly used up, or is so already: once for each, until `unwatch`. */
  watch(watcher: BudgetWatcher): void
  unwatch(watcher: BudgetWatcher): void
  /** Writes what is not yet stored. */
  flush(): Promise<void>
  close(): Promise<void>
}

/** An object and not a function, because every run has one and hundreds may be open. */
export interface BudgetWatcher {
  onBudget(budget: BudgetInfo): void
}

interface GuardedModel {
  /** `provider/model` */
  id: string
  price?: Price | undefined
  /** It runs on this computer, so it costs nothing. */
  local?: boolean | undefined
}

export interface MediaGuard {
  /** Throws `BudgetExceeded` (402). */
  check(): void
  /** Waits until the calls in flight leave room for this one. Throws `BudgetExceeded` (402). */
  admit(expected: MediaUsage, signal: AbortSignal): Promise<MediaTicket>
}

export interface MediaTicket {
  /** Ends the call. Without `used` it cost nothing. */
  close(used: MediaUsage | undefined): void
}

interface SpendingOptions {
  store: Pick<Store, 'usage'>
  limits(): Partial<Record<BudgetPeriod, number>>
  logger: Logger
  now?: () => Date
}

const none: readonly BudgetPeriod[] = []

/** A crash loses at most this much of the count. */
const flushMs = 250
/** After a failure, such as a full disk. */
const retryMs = 10_000
/** Output reserved for a call in flight. Few answers are longer, and a longer reserve would serialize agents. */
const reservedOutput = 8000

export async function openSpending(options: SpendingOptions): Promise<Spending> {
  const { store, limits, logger, now = () => new Date() } = options
  const spent: Record<BudgetPeriod, { key: string; cost: number }> = {
    day: { key: dayOf(now()), cost: 0 },
    month: { key: monthOf(now()), cost: 0 },
  }
  for (const period of budgetPeriods) spent[period].cost = await store.usage.cost(spent[period].key)

  /** Not yet stored. */
  let pending = new Map<string, UsageEntry>()
  let timer: NodeJS.Timeout | undefined
  let flushing: Promise<void> = Promise.resolve()
  /** Estimated cost of the calls in flight. */
  let reserved = 0
  const waiting: (() => void)[] = []

  /** With the budgets that each was told about. */
  const watchers = new Map<BudgetWatcher, readonly BudgetPeriod[]>()

  return {
    guard: (model, workspace) => ({ admit: (...call) => admit(model, workspace.path, ...call) }),
    mediaGuard: (model, workspace) => ({
      check: () => void (isLimited(model) && mustWait(model.id, isPriced(model))),
      admit: (...call) => admitMedia(model, workspace.path, ...call),
    }),
    budget,
    watch(watcher) {
      watchers.set(watcher, none)
      tell(watcher, none)
    },
    unwatch: (watcher) => void watchers.delete(watcher),
    flush,
    close: flush,
  }

  function tell(watcher: BudgetWatcher, told: readonly BudgetPeriod[]): void {
    const due = budget().filter((one) => !told.includes(one.period) && one.spent >= one.limit * budgetWarningShare)
    if (due.length === 0) return
    watchers.set(watcher, [...told, ...due.map(({ period }) => period)])
    for (const one of due) watcher.onBudget(one)
  }

  async function admit(
    model: GuardedModel,
    folder: string,
    request: SpendRequest,
    signal: AbortSignal,
  ): Promise<SpendTicket> {
    const { id, price, local } = model
    // A number, since a prompt must not live as long as its answer.
    const inputTokens = isLimited(model) ? promptTokens(request.prompt) : roughPromptTokens(request.prompt)
    const outputTokens = Math.min(request.maxOutputTokens ?? reservedOutput, reservedOutput)
    const estimate = { inputTokens, outputTokens, totalTokens: inputTokens + outputTokens }
    const end = await reserve(model, { hasPrice: price !== undefined, cost: costOf(estimate, price), signal })
    return {
      close: (usage, outputCharacters) =>
        end(() => {
          const used = usage ?? estimatedUsage(inputTokens, outputCharacters)
          if (used !== undefined) count({ id, local, folder, usage: used, cost: costOf(used, price) })
        }),
    }
  }

  async function admitMedia(
    model: GuardedModel & PricedModel,
    folder: string,
    expected: MediaUsage,
    signal: AbortSignal,
  ): Promise<MediaTicket> {
    const cost = mediaCost(expected, model)
    const end = await reserve(model, { hasPrice: isPriced(model), cost, signal })
    return {
      close: (used) =>
        end(() => {
          // A free call without tokens leaves nothing to count.
          if (used === undefined || (model.local === true && used.tokens === undefined)) return
          const { tokens: usage = { inputTokens: 0, outputTokens: 0, totalTokens: 0 } } = used
          count({ id: model.id, local: model.local, folder, usage, cost: mediaCost(used, model) })
        }),
    }
  }

  function isLimited({ local = false }: GuardedModel): boolean {
    return Object.keys(limits()).length > 0 && !local
  }

  /** Waits until the budget has room. Returns how to count the call and end the reservation, once. */
  async function reserve(
    model: GuardedModel,
    { hasPrice, cost = 0, signal }: { hasPrice: boolean; cost: number | undefined; signal: AbortSignal },
  ): Promise<(countCall: () => void) => void> {
    const limited = isLimited(model)
    while (limited && mustWait(model.id, hasPrice)) await released(signal)
    const held = limited ? cost : 0
    reserved += held
    let isOpen = true
    return (countCall) => {
      if (!isOpen) return
      isOpen = false
      reserved -= held
      countCall()
      for (const wake of waiting.splice(0)) wake()
    }
  }

  /** Nothing is awaited between this check and the reservation, so calls cannot pass it together. */
  function mustWait(id: string, hasPrice: boolean): boolean {
    roll()
    for (const { period, limit, spent: cost } of budget()) {
      if (cost >= limit) throw budgetExceeded(period, limit, cost, hasPrice ? undefined : id)
      if (reserved > 0 && cost + reserved >= limit) return true
    }
    return false
  }

  function released(signal: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      const wake = (): void => {
        signal.removeEventListener('abort', onAbort)
        resolve()
      }
      const onAbort = (): void => {
        const place = waiting.indexOf(wake)
        if (place >= 0) waiting.splice(place, 1)
        reject(signal.reason as Error)
      }
      if (signal.aborted) return onAbort()
      signal.addEventListener('abort', onAbort, { once: true })
      waiting.push(wake)
    })
  }

  /** `cost`: undefined if the price is unknown. */
  function count(call: {
    id: string
    local: boolean | undefined
    folder: string
    usage: Usage
    cost: number | undefined
  }): void {
    const { id, local, folder, usage, cost: given } = call
    roll()
    const isCounted = given !== undefined || local === true
    const cost = given ?? 0
    for (const period of budgetPeriods) spent[period].cost += cost
    const day = spent.day.key
    keep({
      day,
      model: id,
      folder,
      calls: 1,
      inputTokens: usage.inputTokens,
      cachedTokens: usage.cachedInputTokens ?? 0,
      outputTokens: usage.outputTokens,
      cost,
      unpricedTokens: isCounted ? 0 : usage.totalTokens,
    })
    timer ??= setTimeout(() => void flush(), flushMs).unref()
    if (cost > 0) for (const [watcher, told] of watchers) tell(watcher, told)
  }

  /** Adds to what is not yet stored. */
  function keep(entry: UsageEntry): void {
    const key = JSON.stringify([entry.day, entry.model, entry.folder])
    const before = pending.get(key)
    if (before === undefined) return void pending.set(key, entry)
    pending.set(key, {
      ...entry,
      calls: before.calls + entry.calls,
      inputTokens: before.inputTokens + entry.inputTokens,
      cachedTokens: before.cachedTokens + entry.cachedTokens,
      outputTokens: before.outputTokens + entry.outputTokens,
      cost: before.cost + entry.cost,
      unpricedTokens: before.unpricedTokens + entry.unpricedTokens,
    })
  }

  /** Starts a new day or month at zero. */
  function roll(): void {
    const at = now()
    const keys = { day: dayOf(at), month: monthOf(at) }
    for (const period of budgetPeriods)
      if (spent[period].key !== keys[period]) spent[period] = { key: keys[period], cost: 0 }
  }

  function budget(): BudgetInfo[] {
    roll()
    const given = limits()
    return budgetPeriods.flatMap((period) => {
      const limit = given[period]
      return limit === undefined ? [] : [{ period, limit, spent: spent[period].cost }]
    })
  }

  function flush(): Promise<void> {
    clearTimeout(timer)
    timer = undefined
    const entries = [...pending.values()]
    pending = new Map()
    flushing = flushing
      .then(() => store.usage.add(entries))
      .catch((error: unknown) => {
        logger({ level: 'error', message: 'usage was not stored yet', error: String(error) })
        for (const entry of entries) keep(entry)
        timer ??= setTimeout(() => void flush(), retryMs).unref()
      })
    return flushing
  }
}

function isPriced({ price, mediaPrice }: PricedModel): boolean {
  return price !== undefined || (mediaPrice !== undefined && Object.keys(mediaPrice).length > 0)
}

/** The provider bills an answer that was stopped, but does not say how much. A call without an answer counts nothing. */
function estimatedUsage(inputTokens: number, outputCharacters: number): Usage | undefined {
  if (outputCharacters === 0) return undefined
  const outputTokens = Math.ceil(outputCharacters / 4)
  return { inputTokens, outputTokens, totalTokens: inputTokens + outputTokens }
}

/** Local date: a budget's day is the user's. */
export function dayOf(date: Date): string {
  const [month, day] = [date.getMonth() + 1, date.getDate()].map((number) => String(number).padStart(2, '0'))
  return `${date.getFullYear()}-${month}-${day}`
}

function monthOf(date: Date): string {
  return dayOf(date).slice(0, 'YYYY-MM'.length)
}

function budgetExceeded(period: BudgetPeriod, limit: number, spent: number, unpriced?: string): NamedError {
  const of = period === 'day' ? 'today' : 'this month'
  const unknown = unpriced === undefined ? '' : ` The price of ${unpriced} is unknown, so it is stopped, too.`
  return new NamedError(
    'BudgetExceeded',
    `Your budget of $${dollars(limit)} for ${of} is used up. You spent $${dollars(spent)}.${unknown} Raise the budget in Settings > Usage and budget to go on.`,
    { status: 402, data: { period, limit, spent } },
  )
}

function dollars(amount: number): string {
  return amount < 0.01 && amount > 0 ? amount.toPrecision(2) : amount.toFixed(2)
}
