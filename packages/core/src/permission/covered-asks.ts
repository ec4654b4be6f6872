import type { Tool } from '../tool.ts'
import { explainCall } from './explain-call.ts'
import type { PermissionContext } from './permission-context.ts'
import type { Policy } from './policy.ts'

/** A call that waits for a person. */
export interface OpenCall {
  /** The ask's id. */
  id: string
  tool: string
  input: unknown
  ctx: PermissionContext
  /** As it is now, with the rule that was just remembered. */
  policy: Policy
}

/** Which asks need no answer any more: their calls are allowed now. */
export async function coveredAsks(asks: readonly OpenCall[], tools: readonly Tool[]): Promise<string[]> {
  const covered: string[] = []
  for (const { id, tool, input, ctx, policy } of asks) {
    const { decision } = await explainCall({ tool, input }, tools, ctx, policy)
    if (decision === 'allow') covered.push(id)
  }
  return covered
}
