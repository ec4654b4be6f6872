import { lstatSync } from 'node:fs'
import path from 'node:path'
import { normalizeUrl } from '@troupe/protocol'
import { isInside } from '../files/resolve-path.ts'
import { toolKey } from '../tool/tool.ts'
import { type CallFacts, isSandboxed } from './call-facts.ts'
import { toolRule } from './match-rules.ts'
import { accessVerb, type CommandFact, type PathFact } from './path-facts.ts'
import type { CompiledRule, Policy } from './policy.ts'
import { matchHost, parseHostPattern } from './rule-patterns.ts'
import { suggestPathRules } from './suggest-rules.ts'
import {
  type ToolApprovalNeed,
  type Check,
  type CheckContext,
  type CommandPermission,
  checkCommand,
  exactRule,
} from './check-command.ts'

export interface CallChecks {
  checks: readonly Check[]
  /** Subset of `checks` for files and folders. */
  ofPaths: ReadonlyMap<PathFact, Check>
  leaves: ReadonlyMap<CommandFact, CommandPermission>
}

/** Collects every approval the call needs. Assumes that no deny rule matches. */
export function checkCall(facts: CallFacts, policy: Policy, own: ToolApprovalNeed): CallChecks {
  const { allow } = policy.rules.index
  const scene: CheckContext = {
    facts,
    policy,
    allow,
    byTool: allow.isEmpty ? undefined : toolRule(allow, facts.tool),
    ofTool: allow.own.get(toolKey(facts.tool.name)) ?? [],
    own,
    leaves: new Map(),
  }
  const checks: Check[] = []
  for (const fact of facts.commands) {
    const leave = checkCommand(fact, scene)
    scene.leaves.set(fact, leave)
    if (leave.by === 'nobody') checks.push(leave.check)
    else if ('rule' in leave) checks.push({ rule: leave.rule })
  }
  const ofPaths = new Map(facts.paths.map((fact) => [fact, checkPath(fact, scene)]))
  checks.push(...ofPaths.values())
  // Permission to read from a host does not permit actions there. Such a tool asks for both at once.
  if (!asksForAction(scene)) for (const { url, host } of facts.urls) checks.push(checkUrl(url, host, scene))
  if (facts.code) checks.push(checkCode(scene))
  checks.push(checkTool(scene))
  return { checks, ofPaths, leaves: scene.leaves }
}

/** True for a tool that changes things at URLs and requests approval. */
function asksForAction({ facts: { tool, urls, unknown }, own }: CheckContext): boolean {
  return own === true && !tool.readOnly && urls.length > 0 && unknown === undefined
}

function checkAction({ facts: { tool, urls }, policy, byTool, ofTool }: CheckContext): Check {
  if (byTool !== undefined) return { rule: byTool }
  const rules = urls.map(({ host }) => ofTool.find((ready) => host !== undefined && matchesHostRule(ready, host)))
  const [first] = rules
  if (first !== undefined && rules.every((rule) => rule !== undefined)) return { rule: first }
  if (policy.mode === 'bypass') return {}
  const odd = urls.find(({ host }) => host === undefined)
  if (odd !== undefined) return { why: `"${odd.url}" is not a plain web URL.` }
  const hosts = [...new Set(urls.map(({ host }) => host!))]
  return {
    why: `${tool.name} can make changes on ${hosts.join(', ')}.`,
    // A host without a dot would match many hosts, so it is not suggested.
    remember: hosts.every(isWholeHost) ? hosts.map((host) => `${tool.name}(domain:${host})`) : undefined,
  }
}

function checkTool(scene: CheckContext): Check {
  const { facts, policy, allow, byTool, own } = scene
  const { tool, paths, commands, urls, code, unknown } = facts
  if (unknown !== undefined) return { why: unknown, firm: true }
  if (own === false) return {}
  if (asksForAction(scene)) return checkAction(scene)
  const isSpokenFor = commands.length > 0 || code || urls.length > 0 || paths.some(({ kind }) => kind === 'write')
  if (own === undefined && (tool.readOnly || isSpokenFor)) return {}
  const rule = byTool ?? (commands.length > 0 ? allow.tools.get('bash') : undefined)
  if (rule !== undefined) return { rule }
  if (policy.mode === 'bypass') return {}
  const remember = [tool.name]
  if (typeof own === 'object')
    return { why: `${tool.name} could not determine if it needs approval: ${own.failed}`, remember }
  return {
    why: tool.readOnly ? `${tool.name} needs approval for this input.` : `${tool.name} can make changes.`,
    remember,
  }
}

function checkCode({ facts: { tool }, policy, byTool }: CheckContext): Check {
  if (policy.sandbox) return {}
  if (byTool !== undefined) return { rule: byTool }
  if (policy.mode === 'bypass') return {}
  return { why: `${tool.name} runs code, and no sandbox is available to confine it.` }
}

function checkUrl(url: string, host: string | undefined, { policy, allow, byTool, ofTool }: CheckContext): Check {
  const rule =
    byTool ??
    allow.tools.get('webfetch') ??
    [...allow.url, ...ofTool].find((ready) => host !== undefined && matchesHostRule(ready, host))
  if (rule !== undefined) return { rule }
  if (policy.mode === 'bypass') return {}
  if (host === undefined) return { why: `"${url}" is not a plain web URL.` }
  const address = normalizeUrl(url)
  if (address !== undefined && policy.addresses?.includes(address) === true) return {}
  return { why: `It sends a request to ${host}.`, remember: [`WebFetch(domain:${host})`] }
}

function isWholeHost(host: string): boolean {
  try {
    return parseHostPattern(`domain:${host}`).host === host
  } catch {
    return false
  }
}

function matchesHostRule({ host: pattern }: CompiledRule, host: string): boolean {
  return pattern !== undefined && matchHost(pattern, host)
}

function checkPath(fact: PathFact, scene: CheckContext): Check {
  const { policy, facts } = scene
  const isPlan = fact.real === facts.view.planFile
  if (isPlan && (fact.kind === 'read' || policy.mode === 'plan')) return {}
  if (isPreview(fact, scene)) return {}
  if (fact.guard?.strict === true)
    return {
      why: `"${fact.given}" controls permissions. Changing it always needs approval.`,
      firm: true,
    }
  if (fact.kind === 'read' && isOpen(fact, facts.view.home)) return {}
  if (isHiddenBySandbox(fact, scene.policy) || isOpenToSandbox(fact, scene)) return {}
  const rule = pathRule(fact, scene)
  if (rule !== undefined) return { rule }
  if (policy.mode === 'bypass' || (isOrdinary(fact) && isAcceptedEdit(fact, scene))) return {}
  const remember = suggestPathRules(fact, facts.view)
  // For the whole workspace, only a rule for the tool fits.
  if (remember.length === 0 && fact.inside && fact.by === undefined) remember.push(facts.tool.name)
  return { why: pathReason(fact), remember: remember.length > 0 ? remember : undefined }
}

/** True for workspace files, for the names, sizes and times of its secrets, and for what the system shows everyone. */
function isOpen(fact: PathFact, home: string): boolean {
  const { inside, secret, names, real } = fact
  if (inside) return secret === undefined || names === true
  if (secret !== undefined || isInside(real, home)) return false
  return (
    publicFiles.test(real) ||
    publicPlaces.test(real) ||
    (names === true && fact.tree !== true && /^\/(usr(\/local)?|opt)?$/.test(real))
  )
}

/** Files that describe the system. They are the same for every user. */
const publicFiles =
  /^\/(etc\/([a-z]+-release|debian_version|issue|timezone|hostname|shells)|usr\/lib\/os-release|proc\/(cpuinfo|meminfo|version|loadavg|uptime|stat|filesystems|swaps|diskstats|partitions|\d+\/(mounts|status|cgroup|limits|stat|statm)|net\/(dev|route)|sys\/(kernel|vm|fs|net)\/[\w/.-]+)|sys\/(class|devices|block|fs\/cgroup)\/[\w/.:@-]+)$/

/** Installed programs with their libraries, headers and manuals. */
const publicPlaces =
  /^\/(usr\/(bin|sbin|lib|lib32|lib64|libexec|include|share|local\/(bin|sbin|lib|include|share))|bin|sbin|lib|lib32|lib64)(\/|$)/

/**
 * A command that provably only reads sees more in the sandbox, where no other program can use it: system files that
 * every user of the machine may read, and the names in system folders, in the home folder and above the workspace.
 */
function isOpenToSandbox({ by, kind, secret, tree, names, real }: PathFact, { policy, facts }: CheckContext): boolean {
  if (by === undefined || kind !== 'read' || secret !== undefined || tree === true) return false
  if (!isSandboxed(by, policy) || !by.analysis.harmless || accounts.test(real)) return false
  const isSystemFile = /^\/(etc|var\/log)(\/|$)/.test(real) && isReadableByAll(real)
  if (names !== true) return isSystemFile
  const { roots, home } = facts.view
  return (
    isSystemFile || /^\/(home|var|opt|srv|mnt|media)$/.test(real) || [home, ...roots].some((one) => isInside(one, real))
  )
}

/** Accounts, keys, and files that often hold passwords. */
const accounts =
  /^\/etc\/(passwd|group|shadow|gshadow|subuid|subgid|sudoers|security|pam\.d|ssh|ssl\/private|letsencrypt|wireguard|openvpn|ipsec|swanctl|strongswan|ppp|NetworkManager|wpa_supplicant|krb5|environment|default|profile\.d|fstab|crypttab|kubernetes|rancher|docker|containerd|cni|mysql|postgresql|redis|mongo|grafana|gitlab|vault|consul|ansible|salt|puppet|postfix|exim4|dovecot|samba|cups|bluetooth)|secret|passw|credential|token|private|key/i

/** True if every user of the machine can open it. */
function isReadableByAll(real: string): boolean {
  for (let at = real; at !== '/'; at = path.dirname(at)) {
    const stats = lstatSync(at, { throwIfNoEntry: false })
    if (stats === undefined) return at === real
    const needed = stats.isDirectory() ? 0o005 : 0o004
    if ((stats.mode & needed) !== needed || stats.isSocket() || stats.isFIFO()) return false
  }
  return true
}

/** Previews belong to the agent, so our tools may change them. */
function isPreview({ by, real, spelled }: PathFact, { facts }: CheckContext): boolean {
  const { jsxFolder } = facts.view
  return (
    by === undefined && jsxFolder !== undefined && real !== jsxFolder && isInside(real, jsxFolder) && real === spelled
  )
}

/** True if the sandbox hides it from the command: unnamed secrets, and paths in the machine's shared `/tmp`. */
export function isHiddenBySandbox({ by, implied, temporary }: PathFact, policy: Policy): boolean {
  return (implied === true || temporary === true) && by !== undefined && isSandboxed(by, policy)
}

function isOrdinary({ secret, guard }: PathFact): boolean {
  return secret === undefined && guard === undefined
}

/** True only for writes in the workspace. Paths outside always need their own approval. */
function isAcceptedEdit({ kind, inside, by, meant }: PathFact, { policy, own, leaves }: CheckContext): boolean {
  if (kind === 'read' || !inside) return false
  if (policy.mode === 'accept-edits') return true
  if (by === undefined) return own === false
  const leave = leaves.get(by)?.by
  // Approval of a command covers its intended writes, not its other writes.
  return leave === 'tool-rule' || ((leave === 'rules' || leave === 'nobody') && meant === true)
}

/** Finds the rule that matches the path both as spelled and as resolved. */
function pathRule(fact: PathFact, scene: CheckContext): CompiledRule | undefined {
  const { allow, byTool, ofTool, facts } = scene
  // The exact command was allowed, and it names the file.
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

/** Secret and protected files need a rule that names them. `*` does not. */
function ruleNamesPath({ path }: CompiledRule, { secret, guard }: PathFact): boolean {
  return [secret, guard?.place].every(
    (place) => place === undefined || path?.names(place.slice(place.lastIndexOf('/') + 1)) === true,
  )
}

function pathReason(fact: PathFact): string {
  const { given, spelled, real, inside, secret, guard } = fact
  const leads = spelled === real || given === real ? '' : `, which points to "${real}"`
  const file = `It ${accessVerb(fact)} "${given}"${leads}`
  if (guard !== undefined) return `${file}: files in ${guard.place} can control what runs later.`
  if (secret !== undefined) return `${file}: files like this contain keys and passwords.`
  if (!inside) return `${file}${leads === '' ? ', which is' : ','} outside the workspace.`
  return `${file}.`
}
