import type { Projected } from '../run/compact.ts'
import type { TokenGauge } from './token-gauge.ts'

/** A place where a conversation can be cut: after a message of a person, or after a step of an answer. */
export interface Boundary {
  upTo: { messageId: string; step: number }
  /** Estimated tokens of everything after it. */
  after: number
}

/** Every place to cut at, from the first to the last. Nothing is cut before the last step has begun. */
export function boundaries(messages: readonly Projected[], gauge: TokenGauge): Boundary[] {
  const found: Boundary[] = []
  let after = 0
  for (const { id, role, parts } of messages.toReversed()) {
    if (role === 'system') continue
    if (role !== 'assistant') {
      if (id !== undefined) found.push({ upTo: { messageId: id, step: 0 }, after })
      after += gauge.messages([{ role, parts }])
      continue
    }
    const steps = splitSteps(parts)
    for (let step = steps.length; step > 0; step--) {
      if (id !== undefined) found.push({ upTo: { messageId: id, step }, after })
      after += gauge.messages([{ role, parts: steps[step - 1] as Projected['parts'] }])
    }
  }
  return found.toReversed()
}

function splitSteps(parts: Projected['parts']): Projected['parts'][] {
  const steps: Projected['parts'][] = []
  for (const part of parts) {
    if (part.type === 'step-start' || steps.length === 0) steps.push([])
    steps.at(-1)?.push(part)
  }
  return steps
}
