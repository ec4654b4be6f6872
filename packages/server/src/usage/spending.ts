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
import { type BudgetAccount, createBudgetAccounts, type Payer } from './budget-accounts.ts'
import { mediaCost, type MediaUsage, type PricedModel } from './media-cost.ts'

/** Counts what model calls cost, and stops them when the user's budget is used up. */
export interface Spending {
  /** The guard of one model's calls in a workspace, in team mode for a person. */
  guard(model: GuardedModel, workspace: Pick<Workspace, 'path'>, person?: string): SpendGuard
  /** The guard of calls that make or read images, videos and speech. */
  mediaGuard(model: GuardedModel & PricedModel, workspace: Pick<Workspace, 'path'>, person?: string): MediaGuard
  budget(): BudgetInfo[]
  /** Also the budgets of a person, workspace or model. */
  budgetsOf(payer: Payer): Promise<BudgetInfo[]>
  /** Tells the watcher when a budget is nearly used up, or is so already: once for each, until `unwatch`. */
  watch(watcher: BudgetWatcher): void
  unwatch(watcher: BudgetWatcher): void
  /** Writes what is not yet stored. */
  flush(): Promise<void>
  close(): Promise<void>
}

/** An object and not a function, because every run has one and hundreds may be open. */
export interface BudgetWatcher {
  /** Budgets to watch. Default: only those for everything. */
  readonly payer?: Payer
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
  /** More budgets that a call counts for. Only in team mode. */
  accounts?: (payer: Payer) => readonly BudgetAccount[]
  /** Other nodes spend, too: costs are read again after this time. Default: never. */
  freshMs?: number
  logger: Logger
  now?: () => Date
}

const none: readonly string[] = []

/** A crash loses at most this much of the count. */
const flushMs = 250
/** After a failure, such as a full disk. */
const retryMs = 10_000
/** Output reserved for a call in flight. Few answers are longer, and a longer reserve would serialize agents. */
const reservedOutput = 8000

export async function openSpending(options: SpendingOptions): Promise<Spending> {
  const { store, limits, accounts, freshMs, logger, now = () => new Date() } = options
  const { accountsOf, load, spentOf, knownAccounts, roll, limitsOf } = createBudgetAccounts({
    store,
    limits,
    accounts,
    freshMs,
    flush,
    now,
  })

  /** Not yet stored. */
  let pending = new Map<string, UsageEntry>()
  let timer: NodeJS.Timeout | undefined
  let flushing: Promise<void> = Promise.resolve()
  const waiting: (() => void)[] = []
  const everything = await spentOf({ filter: {}, limits: {} })

  /** With the budgets that each was told about. */
  const watchers = new Map<BudgetWatcher, readonly string[]>()

  return {
    guard: (model, { path: folder }, person) => ({
      admit: (...call) => admit(model, { person, folder, model: model.id }, ...call),
    }),
    mediaGuard: (model, { path: folder }, person) => {
      const payer = { person, folder, model: model.id }
      return {
        check: () => void (isLimited(model, payer) && mustWait(model.id, payer, isPriced(model))),
        admit: (...call) => admitMedia(model, payer, ...call),
      }
    },
    budget: () => budgets({}),
    async budgetsOf(payer) {
      await load(payer)
      return budgets(payer)
    },
    watch(watcher) {
      watchers.set(watcher, none)
      tell(watcher, none)
    },
    unwatch: (watcher) => void watchers.delete(watcher),
    flush,
    close: flush,
  }

  function tell(watcher: BudgetWatcher, told: readonly string[]): void {
    const keyOf = ({ of, period }: BudgetInfo): string => `${of ?? ''} ${period}`
    const due = budgets(watcher.payer ?? {}).filter(
      (one) => !told.includes(keyOf(one)) && one.spent >= one.limit * budgetWarningShare,
    )
    if (due.length === 0) return
    watchers.set(watcher, [...told, ...due.map(keyOf)])
    for (const one of due) watcher.onBudget(one)
  }

  async function admit(
    model: GuardedModel,
    payer: Payer,
    request: SpendRequest,
    signal: AbortSignal,
  ): Promise<SpendTicket> {
    const { id, price, local } = model
    // A number, since a prompt must not live as long as its answer.
    const inputTokens = isLimited(model, payer) ? promptTokens(request.prompt) : roughPromptTokens(request.prompt)
    const outputTokens = Math.min(request.maxOutputTokens ?? reservedOutput, reservedOutput)
    const estimate = { inputTokens, outputTokens, totalTokens: inputTokens + outputTokens }
    const end = await reserve(model, payer, { hasPrice: price !== undefined, cost: costOf(estimate, price), signal })
    return {
      close: (usage, outputCharacters) =>
        end(() => {
          const used = usage ?? estimatedUsage(inputTokens, outputCharacters)
          if (used !== undefined) count({ id, local, payer, usage: used, cost: costOf(used, price) })
        }),
    }
  }

  async function admitMedia(
    model: GuardedModel & PricedModel,
    payer: Payer,
    expected: MediaUsage,
    signal: AbortSignal,
  ): Promise<MediaTicket> {
    const cost = mediaCost(expected, model)
    const end = await reserve(model, payer, { hasPrice: isPriced(model), cost, signal })
    return {
      close: (used) =>
        end(() => {
          // A free call without tokens leaves nothing to count.
          if (used === undefined || (model.local === true && used.tokens === undefined)) return
          const { tokens: usage = { inputTokens: 0, outputTokens: 0, totalTokens: 0 } } = used
          count({ id: model.id, local: model.local, payer, usage, cost: mediaCost(used, model) })
        }),
    }
  }

  function isLimited({ local = false }: GuardedModel, payer: Payer): boolean {
    return !local && accountsOf(payer).some((account) => Object.keys(account.limits).length > 0)
  }

  /** Waits until the budget has room. Returns how to count the call and end the reservation, once. */
  async function reserve(
    model: GuardedModel,
    payer: Payer,
    { hasPrice, cost = 0, signal }: { hasPrice: boolean; cost: number | undefined; signal: AbortSignal },
  ): Promise<(countCall: () => void) => void> {
    const limited = isLimited(model, payer)
    if (limited && accounts !== undefined) await load(payer)
    while (limited && mustWait(model.id, payer, hasPrice)) await released(signal)
    const held = limited ? cost : 0
    const holders = limited ? knownAccounts(payer) : []
    for (const holder of holders) holder.reserved += held
    let isOpen = true
    return (countCall) => {
      if (!isOpen) return
      isOpen = false
      for (const holder of holders) holder.reserved -= held
      countCall()
      for (const wake of waiting.splice(0)) wake()
    }
  }

  /** Nothing is awaited between this check and the reservation, so calls cannot pass it together. */
  function mustWait(id: string, payer: Payer, hasPrice: boolean): boolean {
    roll()
    for (const { reserved, ...info } of limitsOf(payer)) {
      if (info.spent >= info.limit) throw budgetExceeded(info, hasPrice ? undefined : id)
      if (reserved > 0 && info.spent + reserved >= info.limit) return true
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
    payer: Payer
    usage: Usage
    cost: number | undefined
  }): void {
    const { id, local, payer, usage, cost: given } = call
    roll()
    const isCounted = given !== undefined || local === true
    const cost = given ?? 0
    for (const account of new Set([everything, ...knownAccounts(payer)])) {
      for (const period of budgetPeriods) account[period].cost += cost
      account.counted += cost
    }
    keep({
      day: everything.day.key,
      model: id,
      folder: payer.folder ?? '',
      person: payer.person,
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
    const key = JSON.stringify([entry.day, entry.model, entry.folder, entry.person])
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

  function budgets(payer: Payer): BudgetInfo[] {
    roll()
    return limitsOf(payer).map(({ reserved: _, ...info }) => info)
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

function budgetExceeded({ of, period, limit, spent }: BudgetInfo, unpriced?: string): NamedError {
  const time = period === 'day' ? 'today' : 'this month'
  const whose = of === undefined || of === 'person' ? 'Your budget' : `The budget of this ${of}`
  const advice =
    of === undefined
      ? 'To continue, raise the budget in Settings > Usage and budget.'
      : 'Ask an admin of your organization to raise it.'
  const unknown = unpriced === undefined ? '' : ` The price of ${unpriced} is unknown, so it is also stopped.`
  return new NamedError(
    'BudgetExceeded',
    `${whose} of $${dollars(limit)} for ${time} is used up. You spent $${dollars(spent)}.${unknown} ${advice}`,
    { status: 402, data: { period, limit, spent, ...(of !== undefined && { of }) } },
  )
}

function dollars(amount: number): string {
  return amount < 0.01 && amount > 0 ? amount.toPrecision(2) : amount.toFixed(2)
}
