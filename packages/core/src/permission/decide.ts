import { aliasKey, ownTool } from '../tool-aliases.ts'
import type { Tool, ToolContext } from '../tool.ts'
import type { Decision } from './decision.ts'
import { toolKey } from '../tool.ts'

export interface PermissionRules {
  allow?: readonly string[]
  ask?: readonly string[]
  deny?: readonly string[]
}

/**
 * May this call run? The same at every depth. Order: deny, ask, allow, then the tool's own default; specificity never
 * matters. A rule is a tool's name.
 */
export async function decide(
  call: { tool: Tool; input: unknown },
  ctx: ToolContext,
  rules: PermissionRules,
): Promise<Decision> {
  for (const decision of ['deny', 'ask', 'allow'] as const) {
    const rule = rules[decision]?.find((candidate) => matches(candidate, call.tool))
    if (rule !== undefined) return { decision, rule, reason: `The rule "${rule}" says ${decision}.` }
  }
  const { tool, input } = call
  const asks =
    typeof tool.needsApproval === 'function'
      ? await tool.needsApproval(input, ctx)
      : (tool.needsApproval ?? !tool.readOnly)
  if (!asks)
    return {
      decision: 'allow',
      rule: null,
      reason: tool.readOnly ? `${tool.name} only reads.` : `${tool.name} needs no approval.`,
    }
  return {
    decision: 'ask',
    rule: null,
    reason: tool.readOnly ? `${tool.name} asks for this input.` : `${tool.name} can change things.`,
  }
}

function matches(rule: string, tool: Tool): boolean {
  // A rule on Bash holds for the `shell` that some models know it as; a person's own tool of that name is not Bash.
  const own = toolKey(ownTool(tool).name)
  return toolKey(rule) === own || aliasKey(rule) === own
}
