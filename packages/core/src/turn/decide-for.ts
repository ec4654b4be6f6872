import type { RunInput } from '../run/run-input.ts'
import type { AgentOptions } from './agent-options.ts'

/** The agent's own word on calls, or the rules of the workspace applied to its `permissions`. */
export function decideFor({ decide, permissions, workspace }: AgentOptions): RunInput['decide'] {
  return decide ?? byRules(permissions, workspace ?? process.cwd())
}

function byRules(permissions: AgentOptions['permissions'], base: string): RunInput['decide'] {
  let resolver: Promise<RunInput['decide']> | undefined
  return async (call, ctx) => (await (resolver ??= loadResolver(permissions, base)))(call, ctx)
}

/** Loaded when the first call is judged: most turns make none. */
async function loadResolver(permissions: AgentOptions['permissions'], base: string): Promise<RunInput['decide']> {
  const { createPolicy } = await import('../permission/create-policy.ts')
  const { decide } = await import('../permission/decide.ts')
  const policy = createPolicy(permissions, { base })
  return (call, ctx) => decide(call, ctx, policy)
}
