import type { CallFacts } from './call-facts.ts'
import type { CallChecks } from './check-call.ts'
import { isHiddenBySandbox } from './check-path.ts'
import { isContained, wantsOutside } from './command-leave.ts'
import type { CompiledRule } from './compile-rules.ts'
import type { Confinement, Decision, Forbidden, Grant } from './decision.ts'
import { ruleMatchesPath } from './find-rule.ts'
import { grantKind, needsGrant, secretOf } from './path-fact.ts'
import type { Policy } from './policy.ts'

/** What a call runs with once it may: by a rule, by the mode, or because a person has said yes. */
export function callGrants(
  facts: CallFacts,
  policy: Policy,
  { leaves }: CallChecks,
): Pick<Decision, 'confinement' | 'grants' | 'forbidden' | 'hides'> {
  const grants = pathGrants(facts, policy)
  const reads = facts.paths.some(({ kind, by }) => kind === 'read' && by === undefined)
  const confinement =
    facts.commands.length > 0 || facts.code ? { confinement: callConfinement(facts, policy, leaves) } : undefined
  const { read, write } = policy.rules.index.deny
  const isMasked = confinement !== undefined && confinement.confinement !== 'none' && read.length + write.length > 0
  return {
    ...confinement,
    ...(isMasked && {
      forbidden: {
        ...(read.length > 0 && { read: forbiddenByRules(read, facts) }),
        ...(write.length > 0 && { write: forbiddenByRules(write, facts) }),
      },
    }),
    ...(grants.length > 0 && { grants }),
    ...(reads && { hides: hiddenFiles(facts, policy) }),
  }
}

function forbiddenByRules(rules: readonly CompiledRule[], { view }: CallFacts): Forbidden {
  return {
    rules: rules.map(({ line }) => `${line.base} ${line.text}`),
    starts: [...new Set(rules.flatMap(({ path }) => path?.starts(view) ?? []))],
    matches: (real) => rules.some(({ path }) => path?.matches(real, view) === true),
  }
}

/** Each place once, with the most that is done there. */
function pathGrants({ paths, commands }: CallFacts, policy: Policy): Grant[] {
  const proven = commands.every(({ analysis }) => analysis.harmless) && { proven: true as const }
  const grants = new Map<string, Grant>()
  for (const fact of paths) {
    if (!needsGrant(fact) || fact.implied === true || isHiddenBySandbox(fact, policy)) continue
    const how = grantKind(fact)
    const known = grants.get(fact.real)?.how
    if (known === undefined || grantRank[how] > grantRank[known])
      grants.set(fact.real, {
        how,
        path: fact.real,
        ...(how === 'list' && proven),
        ...(how === 'list' && fact.tree && { tree: true }),
      })
  }
  return [...grants.values()]
}

const grantRank = { list: 0, read: 1, write: 2 }

function callConfinement(facts: CallFacts, policy: Policy, leaves: CallChecks['leaves']): Confinement {
  if (!policy.sandbox || facts.commands.some((fact) => wantsOutside(fact, { policy }))) return 'none'
  const canBeHeld = facts.commands.every((fact) => {
    const { by } = leaves.get(fact)!
    return by === 'nature' || (by === 'nobody' && isContained(fact))
  })
  return canBeHeld || policy.mode === 'plan' ? 'read-only' : 'workspace'
}

/** Files that are not shown although a folder above them may be searched, or a name that looks the same be read: secrets, and what rules forbid or ask about. */
function hiddenFiles({ view, paths }: CallFacts, { rules, mode }: Policy): (real: string) => boolean {
  const { deny, ask, allow } = rules.index
  const named = new Set(paths.map(({ real }) => real))
  return (real) => {
    if (named.has(real)) return false
    const place = { spelled: real, real }
    if ([...deny.read, ...ask.read].some((ready) => ruleMatchesPath(ready, place, { view }))) return true
    const secret = mode === 'bypass' ? undefined : secretOf(real, view)
    if (secret === undefined) return false
    const name = secret.slice(secret.lastIndexOf('/') + 1)
    return !allow.read.some((ready) => ruleMatchesPath(ready, place, { view }) && ready.path?.names(name) === true)
  }
}
