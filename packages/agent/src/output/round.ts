import type { InstantEvent, PatternSegment } from '../json/path.ts'
import type { OutputProblem } from './ensure.ts'
import type { Handled, KeyValidator, Verdict } from './output-stream-types.ts'

export interface PathValidator {
  readonly kind: 'validator'
  readonly pattern: readonly PatternSegment[]
  readonly check: KeyValidator['check']
}

/** One block of one attempt. A reset starts the next round and voids everything from earlier ones. */
export class ValidationRound {
  readonly attempt: number
  readonly controller = new AbortController()
  readonly problems: OutputProblem[] = []
  readonly handled: (Omit<Handled, 'result'> & { readonly result: Promise<unknown> })[] = []
  thrown: { error: unknown } | undefined
  readonly #refused: string[] = []
  readonly #pending = new Map<string, Promise<void>>()
  readonly #onProblem: (problem: OutputProblem) => void

  constructor(attempt: number, onProblem: (problem: OutputProblem) => void) {
    this.attempt = attempt
    this.#onProblem = onProblem
  }

  judge(event: InstantEvent, validators: readonly PathValidator[]): void {
    const { path } = event
    const verdicts = validators.map((validator) => this.#ask(validator, event))
    const waiting = verdicts.filter((verdict) => typeof verdict !== 'boolean')
    if (verdicts.includes(false)) this.#refused.push(path)
    if (waiting.length === 0) return
    const pending = Promise.all(waiting).then((all) => {
      this.#pending.delete(path)
      if (all.includes(false)) this.#refused.push(path)
    })
    this.#pending.set(path, pending)
  }

  /** True if a complete value may be delivered: neither it nor anything in it was rejected. */
  accepts(path: string): boolean | Promise<boolean> {
    if (this.#refused.some((refused) => isWithin(refused, path))) return false
    if (this.#pending.size === 0) return true
    const waiting = [...this.#pending].filter(([at]) => isWithin(at, path)).map(([, pending]) => pending)
    return waiting.length === 0 || Promise.all(waiting).then(() => this.accepts(path))
  }

  async settled(): Promise<void> {
    await Promise.all(this.#pending.values())
    if (this.thrown !== undefined) throw this.thrown.error
  }

  #ask({ check }: PathValidator, { value, path }: InstantEvent): boolean | Promise<boolean> {
    try {
      const verdict = check(value as never)
      if (!(verdict instanceof Promise)) return this.#note(verdict, path)
      return verdict.then(
        (answer) => this.#note(answer, path),
        (error: unknown) => this.#threw(error),
      )
    } catch (error) {
      return this.#threw(error)
    }
  }

  #note(verdict: Verdict, path: string): boolean {
    const problem = problemOf(verdict, path)
    if (problem === undefined) return true
    this.problems.push(problem)
    if (!this.controller.signal.aborted) this.#onProblem(problem)
    return false
  }

  #threw(error: unknown): false {
    this.thrown ??= { error }
    return false
  }
}

export function problemOf(verdict: Verdict, path: string): OutputProblem | undefined {
  if (verdict === undefined || verdict === true) return undefined
  const {
    ok,
    reason,
    retry = true,
  } = typeof verdict === 'object' ? verdict : { ok: false, reason: verdict === false ? undefined : verdict }
  if (ok) return undefined
  return { path, message: reason ?? (path === '' ? 'A check rejected the answer.' : 'is not valid'), retry }
}

function isWithin(path: string, holder: string): boolean {
  if (!path.startsWith(holder)) return false
  return holder === '' || path.length === holder.length || '.[/'.includes(path[holder.length] as string)
}
