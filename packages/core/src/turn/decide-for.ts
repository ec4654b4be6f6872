import type { Policy } from '../permission/policy.ts'
import type { RunInput } from '../run/run-input.ts'
import type { AgentOptions } from './agent-options.ts'

/** The agent's own word on calls, or the rules of the workspace applied to its `permissions`. */
export function decideFor({ decide, permissions = {} }: AgentOptions): RunInput['decide'] {
  if (decide !== undefined) return decide
  let policy: Policy | undefined
  return async (call, ctx) => {
    // Loaded when the first call is judged: most turns make none.
    const [rules, { createPolicy }] = await Promise.all([
      import('../permission/decide.ts'),
      import('../permission/create-policy.ts'),
    ])
    policy ??= createPolicy(permissions, { base: ctx.workspace.path })
    return rules.decide(call, ctx, policy)
  }
}
