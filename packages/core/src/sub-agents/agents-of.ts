import type { ToolContext } from '../tool.ts'
import type { Agents } from './agents.ts'

/** The sub-agents of a call. Throws where there can be none. */
export function requireAgents(ctx: ToolContext): Agents {
  if (ctx.agents === undefined) throw new Error('There are no sub-agents here. Do this part yourself.')
  return ctx.agents
}
