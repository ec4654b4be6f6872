import { isInside } from '../files/resolve-path.ts'
import type { Check, CheckContext } from './check-call.ts'
import { isSandboxed } from './command-fact.ts'
import { exactRule } from './command-leave.ts'
import type { CompiledRule } from './compile-rules.ts'
import { accessVerb, type PathFact } from './path-fact.ts'
import type { Policy } from './policy.ts'
import { suggestPathRules } from './remember.ts'

/** Whether a file or folder may be touched, and who says so. */
export function checkPath(fact: PathFact, scene: CheckContext): Check {
  const { policy, facts } = scene
  const isPlan = fact.real === facts.view.planFile
  if (isPlan && (fact.kind === 'read' || policy.mode === 'plan')) return {}
  if (isPreview(fact, scene)) return {}
  if (fact.guard?.strict === true)
    return {
      why: `"${fact.given}" belongs to what decides on permissions: changing it is always asked for.`,
      firm: true,
    }
  if (fact.kind === 'read' && fact.inside && fact.secret === undefined) return {}
  if (isHiddenBySandbox(fact, scene.policy)) return {}
  const rule = pathRule(fact, scene)
  if (rule !== undefined) return { rule }
  if (policy.mode === 'bypass' || (isOrdinary(fact) && isAcceptedEdit(fact, scene))) return {}
  const remember = suggestPathRules(fact, facts.view)
  // All of the workspace: then the tool is what a rule can name.
  if (remember.length === 0 && fact.inside && fact.by === undefined) remember.push(facts.tool.name)
  return { why: pathReason(fact), ...(remember.length > 0 && { remember }) }
}

/** What the agent made to be looked at is its own to change, with our tools. */
function isPreview({ by, real, spelled }: PathFact, { facts }: CheckContext): boolean {
  const { jsxFolder } = facts.view
  return (
    by === undefined && jsxFolder !== undefined && real !== jsxFolder && isInside(real, jsxFolder) && real === spelled
  )
}

/** The sandbox keeps it from the command: secrets that nobody named, and what the machine keeps for all in `/tmp`. */
export function isHiddenBySandbox({ by, implied, temporary }: PathFact, policy: Policy): boolean {
  return (implied === true || temporary === true) && by !== undefined && isSandboxed(by, policy)
}

/** Neither secret nor protected. */
function isOrdinary({ secret, guard }: PathFact): boolean {
  return secret === undefined && guard === undefined
}

/** Only writing in the workspace is: what lies outside needs a word of its own, whoever lets the command run. */
function isAcceptedEdit({ kind, inside, by, meant }: PathFact, { policy, own, leaves }: CheckContext): boolean {
  if (kind === 'read' || !inside) return false
  if (policy.mode === 'accept-edits') return true
  if (by === undefined) return own === false
  const leave = leaves.get(by)?.by
  // A yes to a command is a yes to what it is there for; what else it writes is another matter.
  return leave === 'tool-rule' || ((leave === 'rules' || leave === 'nobody') && meant === true)
}

/** The rule that means the path: as it is spelled, and as what it leads to. */
function pathRule(fact: PathFact, scene: CheckContext): CompiledRule | undefined {
  const { allow, byTool, ofTool, facts } = scene
  // The very words were allowed, and the file is one of them.
  const exact = fact.redirected === true ? undefined : exactRule(fact, scene)
  if (exact !== undefined) return exact
  const everything =
    (fact.by === undefined ? byTool : undefined) ?? allow.tools.get(fact.kind === 'read' ? 'read' : 'edit')
  if (everything !== undefined && fact.inside && isOrdinary(fact)) return everything
  const rules = fact.by === undefined ? [...allow[fact.kind], ...ofTool] : allow[fact.kind]
  const means = (end: string): CompiledRule | undefined =>
    rules.find((ready) => ready.path?.matches(end, facts.view) === true && ruleNamesPath(ready, fact))
  const rule = means(fact.real)
  return rule !== undefined && (fact.spelled === fact.real || means(fact.spelled) !== undefined) ? rule : undefined
}

/** Of secret and protected files only a rule speaks that names them: `*` does not. */
function ruleNamesPath({ path }: CompiledRule, { secret, guard }: PathFact): boolean {
  return [secret, guard?.place].every(
    (place) => place === undefined || path?.names(place.slice(place.lastIndexOf('/') + 1)) === true,
  )
}

function pathReason(fact: PathFact): string {
  const { given, spelled, real, inside, secret, guard } = fact
  const leads = spelled === real || given === real ? '' : `, which leads to "${real}"`
  const file = `It ${accessVerb(fact)} "${given}"${leads}`
  if (guard !== undefined) return `${file}: what is in ${guard.place} can decide what runs later.`
  if (secret !== undefined) return `${file}: files like that hold keys and passwords.`
  if (!inside) return `${file}${leads === '' ? ', which is' : ','} outside the workspace.`
  return `${file}.`
}
