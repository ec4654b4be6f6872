import type { Call } from './parse-call.ts'

/**
 * Breaks loops: a call that is made with the same input again and again is refused after `repeats` times in a row, and
 * two refusals later the turn ends. Counts successes too, since those burn money just as well.
 */
export interface RepeatGuard {
  /** The refusal that the model reads, or nothing. */
  check(call: Pick<Call, 'toolName' | 'input'>): string | undefined
  exhausted(): boolean
}

export function createRepeatGuard(repeats: number): RepeatGuard {
  let last = ''
  let count = 0
  return {
    check(call) {
      const signature = `${call.toolName} ${JSON.stringify(call.input)}`
      count = signature === last ? count + 1 : 1
      last = signature
      if (count <= repeats) return undefined
      return `Not run: this same call was made ${count} times in a row. Its result will not change; go on another way or tell the person what is missing.`
    },
    exhausted: () => count >= repeats + 2,
  }
}
