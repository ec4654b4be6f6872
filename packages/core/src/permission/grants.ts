import type { CallFacts } from './call-facts.ts'
import type { CallChecks } from './check-call.ts'
import { isContained, wantsOut } from './command-leave.ts'
import type { Confinement, Decision } from './decision.ts'
import { meetsPath } from './find-rule.ts'
import { secretOf } from './path-fact.ts'
import type { Policy } from './policy.ts'

/** What a call runs with once it may: by a rule, by the mode, or because a person has said yes. */
export function grantsOf(
  facts: CallFacts,
  policy: Policy,
  { leaves, ofPaths }: CallChecks,
): Pick<Decision, 'confinement' | 'outside' | 'hides'> {
  const beyond = facts.paths.filter((fact) => {
    const isGuarded = fact.kind === 'write' && fact.guard !== undefined
    if ((fact.inside && fact.secret === undefined && !isGuarded) || fact.implied === true) return false
    const { why, rule } = ofPaths.get(fact)!
    if (fact.by === undefined || why !== undefined || rule !== undefined) return true
    // Where a command runs only because the sandbox holds it, what the sandbox holds back stays held back.
    return policy.mode !== 'accept-edits' || leaves.get(fact.by)?.by !== 'mode'
  })
  const isSearch = facts.paths.some(({ kind, folder, by }) => kind === 'read' && folder && by === undefined)
  return {
    ...((facts.commands.length > 0 || facts.code) && { confinement: confinementOf(facts, policy, leaves) }),
    ...(beyond.length > 0 && { outside: [...new Set(beyond.map(({ real }) => real))] }),
    ...(isSearch && { hides: hiddenFiles(facts, policy) }),
  }
}

function confinementOf(facts: CallFacts, policy: Policy, leaves: CallChecks['leaves']): Confinement {
  if (!policy.sandbox || facts.commands.some((fact) => wantsOut(fact, { policy }))) return 'none'
  const canBeHeld = facts.commands.every((fact) => {
    const { by } = leaves.get(fact)!
    return by === 'nature' || (by === 'nobody' && isContained(fact))
  })
  return canBeHeld || policy.mode === 'plan' ? 'read-only' : 'workspace'
}

/** Files that are not shown although a folder above them may be searched: secrets, and what rules forbid or ask about. */
function hiddenFiles({ view, paths }: CallFacts, { rules, mode }: Policy): (real: string) => boolean {
  const { deny, ask, allow } = rules.index
  const named = new Set(paths.map(({ real }) => real))
  return (real) => {
    if (named.has(real)) return false
    const place = { spelled: real, real }
    if ([...deny.read, ...ask.read].some((ready) => meetsPath(ready, place, { view }))) return true
    const secret = mode === 'bypass' ? undefined : secretOf(real, view)
    if (secret === undefined) return false
    const name = secret.slice(secret.lastIndexOf('/') + 1)
    return !allow.read.some((ready) => meetsPath(ready, place, { view }) && ready.path?.names(name) === true)
  }
}
