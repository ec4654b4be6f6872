import type { CallFacts } from './call-facts.ts'
import type { ToolApprovalNeed } from './check-call.ts'
import { isContained } from './command-leave.ts'
import type { Policy } from './policy.ts'

/** Why a call is refused in plan mode, or nothing: reading goes on, and the plan itself is written. */
export function planModeRefusal(facts: CallFacts, policy: Policy, own: ToolApprovalNeed): string | undefined {
  const { tool, paths, commands, code, view } = facts
  const rule = 'In plan mode nothing but the plan is changed'
  const written = paths.find(({ kind, real }) => kind === 'write' && real !== view.planFile)
  if (written !== undefined) return `${rule}, and this would change "${written.given}".`
  for (const fact of commands) {
    const { access, analysis } = fact
    if (access.typed !== true && (analysis.harmless || (policy.sandbox && isContained(fact)))) continue
    const why = (policy.sandbox ? analysis.whyNotContained : undefined) ?? analysis.why
    return `${rule}, and a command may change things.${why === undefined ? '' : ` ${why}`}`
  }
  if (code && !policy.sandbox) return `${rule}, and the code of ${tool.name} could change anything.`
  const isSpokenFor = commands.length > 0 || code || paths.some(({ kind }) => kind === 'write')
  return tool.readOnly || isSpokenFor || own === false ? undefined : `${rule}, and ${tool.name} can change things.`
}
