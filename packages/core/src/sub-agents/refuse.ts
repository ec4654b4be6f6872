import { agentKey } from '../agent-definition.ts'
import type { AgentFrame } from '../agent-frame.ts'
import type { Refusal } from './agents.ts'

/** How long a chain of agents may be, the master included. */
export const defaultMaxDepth = 4

/** Whether the last agent of the chain may start this one: the rules that need nothing but the chain. */
export function checkDelegation(name: string, frames: readonly AgentFrame[]): Refusal | undefined {
  const key = agentKey(name)
  const chain = frames.map((frame) => frame.name).join(' > ')
  if (frames.some((frame) => agentKey(frame.name) === key)) {
    return {
      refused: 'RECURSION',
      message: `"${name}" is already at work in this chain (${chain}). Do this part yourself, or give it to another agent.`,
    }
  }
  const deepest = depthLimit(frames)
  if (frames.length >= deepest) {
    return {
      refused: 'MAX_DEPTH',
      message: `The chain ${chain} is ${frames.length} agents long, and ${deepest} is the limit. Do this part yourself.`,
    }
  }
  const allowed = frames.at(-1)?.allowedSubAgents
  if (allowed === undefined || allowed.some((other) => agentKey(other) === key)) return undefined
  const whom = allowed.length === 0 ? 'It may delegate to nobody.' : `It may delegate to: ${allowed.join(', ')}.`
  return { refused: 'NOT_ALLOWED', message: `"${frames.at(-1)?.name}" may not delegate to "${name}". ${whom}` }
}

/** The smallest limit in the chain holds. */
function depthLimit(frames: readonly AgentFrame[]): number {
  return Math.min(...frames.map((frame) => frame.maxDepth ?? defaultMaxDepth))
}
