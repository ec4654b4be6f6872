import type { Part } from './message.ts'

/**
 * Where a part of an answer lies: the number of its step, counted from 1; 0 is before the first. What a person said
 * between two steps, with what it brought in, belongs to the later one: it is what that step answers.
 */
export function stepNumbers(parts: readonly Part[]): number[] {
  const steps: number[] = []
  let begun = 0
  let said = false
  for (const part of parts) {
    if (part.type === 'step-start') {
      begun++
      said = false
    } else if (part.type === 'steering-message') said = true
    steps.push(said ? begun + 1 : begun)
  }
  return steps
}

/** The parts up to a step, that included, and those after it. */
export function splitAfterStep(parts: readonly Part[], step: number): { before: Part[]; after: Part[] } {
  const index = stepNumbers(parts).findIndex((one) => one > step)
  const end = index === -1 ? parts.length : index
  return { before: parts.slice(0, end), after: parts.slice(end) }
}
