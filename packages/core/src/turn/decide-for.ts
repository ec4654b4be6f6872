import type { RunInput } from '../run/run-input.ts'
import type { AgentOptions } from './agent-options.ts'

/** The agent's own word on calls, or the rules of the workspace applied to its `permissions`. */
export function decideFor({ decide, permissions = {} }: AgentOptions): RunInput['decide'] {
  if (decide !== undefined) return decide
  return async (call, ctx) => {
    // Loaded when the first call is judged: most turns make none.
    const rules = await import('../permission/decide.ts')
    return rules.decide(call, ctx, permissions)
  }
}
