import type { Budget } from '../agents/agent-definition.ts'
import { formatCount } from '../text/format.ts'

/**
 * Counts the time in which a run works: it stands still while only a person can move the run on. A class, since every
 * live run holds one and methods on a prototype weigh nothing.
 */
export class Stopwatch {
  #counted: number
  #begun: number | undefined = performance.now()

  /** `before`: what earlier processes had counted. */
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

/** Counts what a run spends, and with it every run above it: a limit at any ancestor holds for all below. */
export class Meter {
  readonly spent: Spent = { steps: 0, tokens: 0, cost: 0 }
  /** Of that, what those below it spent. */
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

  /** What the run spent itself. */
  add(spent: Partial<Spent>): void {
    addSpent(this.spent, spent)
    this.#parent?.addBelow(spent)
  }

  addBelow(spent: Partial<Spent>): void {
    addSpent(this.spent, spent)
    addSpent(this.below, spent)
    this.#parent?.addBelow(spent)
  }

  /** Which budget is used up, in a sentence. */
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
