import type { Decision } from '@troupe/core'

/**
 * A decision while the rules of a file have never been read, and so what it forbids is not known: nothing runs unasked,
 * and no rule changes that. `unknown` says why; without it the decision stands.
 */
export function askWhileUnknown(
  made: Decision | Promise<Decision>,
  unknown: string | undefined,
): Decision | Promise<Decision> {
  if (unknown === undefined) return made
  return made instanceof Promise ? made.then((decision) => toAsk(decision, unknown)) : toAsk(made, unknown)
}

function toAsk({ remember: _, ...decision }: Decision, unknown: string): Decision {
  if (decision.decision === 'deny') return decision
  return {
    ...decision,
    decision: 'ask',
    firm: true,
    rule: null,
    reason: `The rules of this project are not known: ${unknown}`,
  }
}
