import type { Budget } from '../agents/agent-definition.ts'
import { formatCount } from '../text/format.ts'
import { NamedError } from '@troupe/protocol'
import type { Tool } from '../tool/tool.ts'

/**
 * Measures the active time of a run. Pauses while only a person can advance the run. A class, because every live run
 * holds one and prototype methods cost no memory per instance.
 */
export class Stopwatch {
  #counted: number
  #begun: number | undefined = performance.now()

  /** `before`: time counted by earlier processes. */
  constructor(before = 0) {
    this.#counted = before
  }

  elapsedMs(): number {
    return Math.round(this.#counted + (this.#begun === undefined ? 0 : performance.now() - this.#begun))
  }

  pause(): void {
    if (this.#begun === undefined) return
    this.#counted += performance.now() - this.#begun
    this.#begun = undefined
  }

  resume(): void {
    this.#begun ??= performance.now()
  }
}

export interface Spent {
  steps: number
  tokens: number
  cost: number
}

/** Counts the spending of a run and adds it to every ancestor, so an ancestor's limit covers all its descendants. */
export class Meter {
  readonly spent: Spent = { steps: 0, tokens: 0, cost: 0 }
  readonly below: Spent = { steps: 0, tokens: 0, cost: 0 }
  readonly #parent: Meter | undefined
  readonly #budget: Budget
  readonly #watch = new Stopwatch()
  readonly #name: string

  constructor(name: string, budget: Budget = {}, parent?: Meter) {
    this.#name = name
    this.#budget = budget
    this.#parent = parent
  }

  add(spent: Partial<Spent>): void {
    addSpent(this.spent, spent)
    this.#parent?.addBelow(spent)
  }

  addBelow(spent: Partial<Spent>): void {
    addSpent(this.spent, spent)
    addSpent(this.below, spent)
    this.#parent?.addBelow(spent)
  }

  /** Returns a sentence that names the exhausted budget. */
  exceeded(): string | undefined {
    return this.#own() ?? this.#parent?.exceeded()
  }

  #own(): string | undefined {
    const { steps, tokens, cost, ms } = this.#budget
    const of = `The budget of "${this.#name}"`
    if (steps !== undefined && this.spent.steps >= steps) return `${of} of ${formatCount(steps, 'step')} is used up.`
    if (tokens !== undefined && this.spent.tokens >= tokens) return `${of} of ${tokens} tokens is used up.`
    if (cost !== undefined && this.spent.cost >= cost) return `${of} of ${cost} is used up.`
    if (ms !== undefined && this.#watch.elapsedMs() >= ms) return `${of} of ${ms / 1000} s is used up.`
    return undefined
  }
}

function addSpent(sum: Spent, { steps = 0, tokens = 0, cost = 0 }: Partial<Spent>): void {
  sum.steps += steps
  sum.tokens += tokens
  sum.cost += cost
}

export interface WriteLock {
  /** Waits for the lock. If the signal aborts first, rejects with its reason and never runs `work`. */
  run<T>(work: () => Promise<T>, signal: AbortSignal): Promise<T>
}

export async function waitForTurn(before: Promise<unknown>, signal: AbortSignal): Promise<void> {
  signal.throwIfAborted()
  const { promise, reject } = Promise.withResolvers<never>()
  const onAbort = (): void => reject(signal.reason as Error)
  signal.addEventListener('abort', onAbort, { once: true })
  try {
    await Promise.race([before, promise])
  } finally {
    signal.removeEventListener('abort', onAbort)
  }
}

export function createWriteLock(): WriteLock {
  let last: Promise<unknown> = Promise.resolve()
  return {
    async run(work, signal) {
      const before = last
      const mine = Promise.withResolvers<void>()
      last = before.then(() => mine.promise)
      try {
        await waitForTurn(before, signal)
        return await work()
      } finally {
        mine.resolve()
      }
    },
  }
}

export interface CallSignal {
  signal: AbortSignal
  /** Pauses the time limit while the call waits for a person. */
  pause(): void
  resume(): void
  clear(): void
}

/** Time a write may continue after shutdown begins, in milliseconds. */
export const graceMs = 5000

/**
 * Follows the signal of the run and aborts at the tool's time limit. On shutdown, a call whose outcome would otherwise
 * be unknown gets a grace period.
 */
export function openCallSignal(tool: Pick<Tool, 'readOnly' | 'recover' | 'timeout'>, signal: AbortSignal): CallSignal {
  const spared = !tool.readOnly && tool.recover === 'error'
  const { timeout } = tool
  if (!spared && timeout === undefined)
    return { signal, pause: () => undefined, resume: () => undefined, clear: () => undefined }
  const controller = new AbortController()
  let left = timeout ?? 0
  let begun = 0
  let asks = 0
  let limit: NodeJS.Timeout | undefined
  let grace: NodeJS.Timeout | undefined
  const onAbort = (): void => {
    const end = (): void => controller.abort(signal.reason)
    if (spared && signal.reason instanceof NamedError && signal.reason.name === 'Shutdown')
      grace = setTimeout(end, graceMs)
    else end()
  }
  signal.addEventListener('abort', onAbort, { once: true })
  startTimer()
  return {
    signal: controller.signal,
    pause() {
      if (asks++ > 0) return
      clearTimeout(limit)
      left -= performance.now() - begun
    },
    resume() {
      if (--asks === 0) startTimer()
    },
    clear() {
      clearTimeout(limit)
      clearTimeout(grace)
      signal.removeEventListener('abort', onAbort)
    },
  }

  function startTimer(): void {
    if (timeout === undefined || controller.signal.aborted) return
    begun = performance.now()
    limit = setTimeout(() => controller.abort(timedOut(timeout)), Math.max(0, left))
  }
}

function timedOut(ms: number): Error {
  return new Error(`Timed out after ${ms / 1000} s. The tool call was canceled.`)
}
