import type { Call } from './parse-call.ts'

/**
 * Breaks loops: a call that is made with the same input again and again is refused after `repeats` times in a row, and
 * two refusals later the turn ends. Counts successes too, since those burn money just as well.
 */
export class RepeatGuard {
  #repeats: number
  #last = ''
  #count = 0

  constructor(repeats: number) {
    this.#repeats = repeats
  }

  /** The refusal that the model reads, or nothing. */
  check(call: Pick<Call, 'toolName' | 'input'>): string | undefined {
    const signature = `${call.toolName} ${JSON.stringify(call.input)}`
    this.#count = signature === this.#last ? this.#count + 1 : 1
    this.#last = signature
    if (this.#count <= this.#repeats) return undefined
    return `Not run: this same call was made ${this.#count} times in a row. Its result will not change; go on another way or tell the person what is missing.`
  }

  exhausted(): boolean {
    return this.#count >= this.#repeats + 2
  }
}
