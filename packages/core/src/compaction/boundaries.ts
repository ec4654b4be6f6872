import type { Part } from '../protocol/message.ts'
import { stepNumbers } from '../protocol/steps.ts'
import type { PromptMessage } from '../run/compact.ts'
import type { TokenGauge } from './token-gauge.ts'

/** A place where a conversation can be cut: after a message of a person, or after a step of an answer. */
export interface Boundary {
  upTo: { messageId: string; step: number }
  /** Estimated tokens of everything after it. */
  after: number
}

/**
 * Every place to cut at, from the first to the last. Of the last message, which may still grow, only steps that have
 * begun can be cut off.
 */
export function findBoundaries(messages: readonly PromptMessage[], gauge: TokenGauge): Boundary[] {
  const found: Boundary[] = []
  let after = 0
  for (const [index, { id, role, parts }] of messages.toReversed().entries()) {
    if (role === 'system') continue
    if (role !== 'assistant') {
      if (id !== undefined) found.push({ upTo: { messageId: id, step: 0 }, after })
      after += gauge.messages([{ role, parts }])
      continue
    }
    const steps = splitSteps(parts)
    const isOpen = index === 0
    const begun = parts.filter(({ type }) => type === 'step-start').length
    for (let step = steps.length; step > 0; step--) {
      if (id !== undefined && (step <= begun || !isOpen)) found.push({ upTo: { messageId: id, step }, after })
      after += gauge.messages([{ role, parts: steps[step - 1] ?? [] }])
    }
  }
  return found.toReversed()
}

/** The parts of each step; those before the first belong to it. */
export function splitSteps(parts: PromptMessage['parts']): PromptMessage['parts'][] {
  const steps: PromptMessage['parts'][] = []
  for (const [index, step] of stepNumbers(parts).entries())
    (steps[Math.max(step, 1) - 1] ??= []).push(parts[index] as Part)
  return Array.from(steps, (step) => step ?? [])
}
