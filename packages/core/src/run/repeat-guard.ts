import type { Tool } from '../tool.ts'
import type { Call } from './parse-call.ts'

/**
 * Breaks loops: a call that is made again and again with the same input and the same result is refused after `repeats`
 * times in a row, and two refusals later the turn ends. Counts successes too, since those burn money just as well. A
 * result that differs from the one before starts the count anew; tools that poll are not counted.
 */
export class RepeatGuard {
  #repeats: number
  #last = ''
  #result: { value: unknown } | undefined
  #count = 0

  constructor(repeats: number) {
    this.#repeats = repeats
  }

  /** The refusal that the model reads, or nothing. */
  check(call: Pick<Call, 'toolName' | 'input'> & { tool?: Tool | undefined }): string | undefined {
    const signature = signatureOf(call)
    if (signature !== this.#last) this.#result = undefined
    this.#count = signature === this.#last ? this.#count + 1 : 1
    this.#last = signature
    if (call.tool?.polls === true) this.#count = 1
    if (this.#count <= this.#repeats) return undefined
    return `Not run: this same call was made ${this.#count} times in a row and its result did not change. Go on another way or tell the person what is missing.`
  }

  /** What came of a call that was made: its output, or the text of its error. */
  saw(call: Pick<Call, 'toolName' | 'input'>, result: unknown): void {
    if (signatureOf(call) !== this.#last) return
    if (this.#result !== undefined && resultKey(result) !== resultKey(this.#result.value)) this.#count = 1
    this.#result = { value: result }
  }

  exhausted(): boolean {
    return this.#count >= this.#repeats + 2
  }
}

function signatureOf({ toolName, input }: Pick<Call, 'toolName' | 'input'>): string {
  return `${toolName} ${JSON.stringify(input)}`
}

/** How long something took and when it began is never news. */
function resultKey(result: unknown): string {
  return JSON.stringify(result, (key, value: unknown) => (/(?:Ms|At)$/.test(key) ? undefined : value)) ?? ''
}
