import { homedir } from 'node:os'
import path from 'node:path'
import {
  compileRules,
  type Mode,
  modes,
  type Policy,
  type RuleLine,
  type RuleSet,
  type RunInput,
  type SandboxFinding,
  type Session,
  type SessionRule,
  type Store,
  type Workspace,
} from '@troupe/core'
import { NamedError } from '@troupe/protocol'
import { type ConfigFile, createProjectConfigs, type ProjectConfigs, type WatchedFile } from '../config/config.ts'
import type { Logger } from '../util/logger.ts'
import {
  allowedMode,
  createSessionGrants,
  type ManagedConfig,
  openRuleLayers,
  type PolicyWorkspace,
  type RememberScope,
  type RuleLayers,
  type RuleTexts,
  type SessionGrants,
  type SharedRules,
} from './rule-layers.ts'
import { createRuleRegistry, type RuleRegistry } from './rule-registry.ts'
import { scopeOf, sessionScope } from '../workspaces/open-workspaces.ts'

/** Decides about tool calls from the rules of all layers, the session's mode and the sandbox. */
export interface Permissions {
  /** Returns the current policy of a session. `rules` apply to one run only. Logs new warnings about rules. */
  sessionPolicy(session: Session, rules?: RuleTexts): Policy
  policy(place: PolicyWorkspace, given?: PolicyInput): Policy
  /** Returns a rule as it would be stored in this scope. */
  line(rule: SessionRule, scope: RememberScope, place: PolicyWorkspace): RuleLine
  /** Validates a requested mode. Throws `UnknownMode` (422), `BypassNotAllowed` (403). */
  checkMode(mode: string): Mode
  mode(session: Session): NonNullable<RunInput['mode']>
  /** The mode of new sessions in a workspace. */
  initialMode(workspaceId: string): Promise<Mode>
  /** Resolves once the change is durable. Notifies the session's followers. */
  setMode(sessionId: string, mode: Mode): Promise<Session>
  /** The effective mode. A session may still be in a mode that is no longer allowed. */
  modeOf(session: Session): Mode
  /** Allows fetching addresses the user typed. */
  noteUserHosts(sessionId: string, typed: readonly string[]): void
  warnings(place: PolicyWorkspace): string[]
  /** Called when a workspace is opened or its trust changes. */
  load(workspace: Workspace): void
  placeOf(session: Pick<Session, 'workspaceId'> & { projectId?: string | null }): PolicyWorkspace
  forget(sessionId: string): void
}

interface PolicyInput {
  session?: Session | undefined
  /** Whose rules apply if there is no session. */
  person?: string | undefined
  /** Extra rules: those of a run, or ones to try out. */
  rules?: readonly RuleLine[]
  mode?: Mode
  sandbox?: boolean
  /** Tries out another policy of the administrator. */
  managed?: ManagedConfig
}

interface PermissionOptions {
  store: Pick<Store, 'workspaces'>
  layers: RuleLayers
  grants: SessionGrants
  /** The Troupe home, not the user's home folder. */
  home: string
  personHome: string
  sandbox: boolean
  allowBypass: boolean
  logger: Logger
  onMode: (sessionId: string, mode: Mode) => void
}

const maxAddresses = 1000
const maxCompiled = 200

function createPermissions(options: PermissionOptions): Permissions {
  const { layers, grants, home, personHome, allowBypass, logger } = options
  const places = new Map<string, Workspace>()
  const addresses = new Map<string, Set<string>>()
  const compiled = new Map<string, { of: string; rules: RuleSet }>()
  const logged = new Set<string>()

  const permissions: Permissions = {
    sessionPolicy(session, rules) {
      const place = permissions.placeOf(session)
      logNewWarnings(place)
      return permissions.policy(place, { session, rules: ruleLines(rules ?? {}, 'flag', place.path) })
    },
    policy(place, { session, person, rules = [], mode, sandbox, managed = layers.managed() } = {}) {
      const own = session === undefined ? undefined : grants.of(session)
      const lines: RuleLine[] = [
        ...layers
          .rules(place, { person: session === undefined ? person : (session.ownerId ?? undefined), managed })
          .map(({ text, effect, layer, base }) => ({ text, effect, layer, base })),
        ...(own?.rules ?? []).map((rule) => permissions.line(rule, 'session', place)),
        ...rules,
      ].filter(({ effect, layer }) => effect !== 'allow' || layer === 'managed' || managed.ignoreAllowRules !== true)
      const typed = session === undefined ? undefined : addresses.get(session.id)
      const unreadable = layers.unreadable(place)
      return {
        mode: allowedMode(mode ?? (session === undefined ? layers.mode(place) : permissions.modeOf(session)), managed),
        rules: compile(session?.id ?? place.path, lines),
        only: onlyOf(managed),
        sandbox: sandbox ?? options.sandbox,
        home: personHome,
        troupeHome: home,
        planFile: session && path.join(home, 'sessions', session.id, 'plan.md'),
        addresses: typed && [...typed],
        unreadable,
      }
    },
    line: ({ text, effect }, scope, place) =>
      scope === 'always'
        ? { text, effect, layer: 'user', base: personHome }
        : { text, effect, layer: scope, base: place.path },
    checkMode(mode) {
      const known = modes.find((one) => one === mode)
      if (known === undefined)
        throw new NamedError('UnknownMode', `There is no mode "${mode}". Available modes: ${modes.join(', ')}.`, {
          status: 422,
          data: { modes: [...modes] },
        })
      if (known === 'bypass' && !allowBypass)
        throw new NamedError(
          'BypassNotAllowed',
          'Bypass mode runs everything without asking. It is only available if Troupe was started with --allow-bypass.',
          { status: 403 },
        )
      if (allowedMode(known, layers.managed()) !== known)
        throw new NamedError('ModeNotAllowed', `The policy of the organization does not allow the mode "${known}".`, {
          status: 403,
        })
      return known
    },
    mode: (session) => ({
      get: () => permissions.modeOf(session),
      async set(mode) {
        await permissions.setMode(session.id, permissions.checkMode(mode))
      },
    }),
    async initialMode(workspaceId) {
      // Another process may have changed the trust meanwhile.
      const now = await options.store.workspaces.get(workspaceId)
      return layers.mode(now ?? permissions.placeOf({ workspaceId }))
    },
    async setMode(sessionId, mode) {
      const session = await grants.setMode(sessionId, mode)
      options.onMode(sessionId, mode)
      return session
    },
    modeOf(session) {
      const { mode } = grants.of(session)
      return allowedMode(mode === 'bypass' && !allowBypass ? 'default' : mode, layers.managed())
    },
    noteUserHosts(sessionId, typed) {
      const known = addresses.get(sessionId) ?? new Set()
      for (const address of typed) if (known.size < maxAddresses) known.add(address)
      if (known.size > 0) addresses.set(sessionId, known)
    },
    warnings(place) {
      const unreadable = compileRules(layers.rules(place)).problems.map(
        ({ line, message }) => `The rule "${line.text}" (${line.layer}, ${line.effect}) is invalid: ${message}`,
      )
      return [...layers.warnings(place), ...unreadable]
    },
    load(workspace) {
      places.set(scopeOf(workspace), workspace)
      if (workspace.projects !== undefined) return
      // Trust belongs to the workspace, and its projects follow.
      for (const [key, place] of places)
        if (key.startsWith(`${workspace.id} `)) places.set(key, { ...workspace, projects: place.projects })
    },
    // A session whose workspace was never opened has no project rules and no valid base path.
    placeOf: (session) =>
      places.get(sessionScope(session)) ?? places.get(session.workspaceId) ?? { path: '/nowhere', trusted: false },
    forget(sessionId) {
      addresses.delete(sessionId)
      grants.forget(sessionId)
    },
  }
  return permissions

  /** Cached: rules change rarely but are used often. */
  function compile(key: string, lines: readonly RuleLine[]): RuleSet {
    const of = lines.map(({ text, effect, layer, base }) => `${effect} ${layer} ${base}\0${text}`).join('\n')
    const known = compiled.get(key)
    if (known?.of === of) return known.rules
    const rules = compileRules(lines)
    if (compiled.size >= maxCompiled) compiled.clear()
    compiled.set(key, { of, rules })
    return rules
  }

  function logNewWarnings(place: PolicyWorkspace): void {
    for (const warning of layers.warnings(place)) {
      if (logged.has(warning)) continue
      logged.add(warning)
      logger({ level: 'warn', message: warning })
    }
  }
}

const onlyRules = new WeakMap<ManagedConfig, Policy['only']>()

/** Compiled once for each version of the policy. */
function onlyOf(managed: ManagedConfig): Policy['only'] {
  const { tools, hosts } = managed
  if (tools === undefined && hosts === undefined) return undefined
  const known = onlyRules.get(managed)
  if (known !== undefined) return known
  const compileAll = (texts: readonly string[]): RuleSet =>
    compileRules(texts.map((text) => ({ text, effect: 'allow', layer: 'managed', base: '' })))
  const made = {
    ...(tools !== undefined && { tools: compileAll(tools) }),
    ...(hosts !== undefined && { hosts: compileAll(hosts.map((host) => `WebFetch(domain:${host})`)) }),
  }
  onlyRules.set(managed, made)
  return made
}

export function ruleLines(rules: RuleTexts, layer: RuleLine['layer'], base: string): RuleLine[] {
  return (['deny', 'ask', 'allow'] as const).flatMap((effect) =>
    (rules[effect] ?? []).map((text) => ({ text, effect, layer, base })),
  )
}

interface PermissionParts {
  permissions: Permissions
  layers: RuleLayers
  grants: SessionGrants
  rules: RuleRegistry
  projects: ProjectConfigs
  personHome: string
}

/** Set by the machine's administrator. The user cannot change its location. */
export const managedFile =
  process.platform === 'win32'
    ? path.join(process.env['ProgramData'] ?? 'C:\\ProgramData', 'troupe', 'config.json')
    : '/etc/troupe/config.json'

export function openPermissions(options: {
  store: Store
  home: string
  config: ConfigFile
  env: NodeJS.ProcessEnv
  managedFile: string
  /** Used instead of the file. */
  managed?: WatchedFile<ManagedConfig> | undefined
  shared?: SharedRules | undefined
  allowBypass: boolean
  sandbox: SandboxFinding
  logger: Logger
  /** False for a folder that hangs. */
  responds?: (folder: string) => boolean
  onMode: (sessionId: string, mode: Mode) => void
}): PermissionParts {
  const { store, home, config, allowBypass, logger, sandbox, onMode } = options
  const personHome = options.env['HOME'] || homedir()
  const projects = createProjectConfigs(options.responds)
  const layers = openRuleLayers({
    home,
    personHome,
    config,
    projects,
    managedFile: options.managedFile,
    managed: options.managed,
    shared: options.shared,
    allowBypass,
  })
  const grants = createSessionGrants(store)
  const permissions = createPermissions({
    store,
    layers,
    grants,
    home,
    personHome,
    sandbox: sandbox.sandbox !== undefined,
    allowBypass,
    logger,
    onMode,
  })
  return { permissions, layers, grants, rules: createRuleRegistry({ layers, grants }), projects, personHome }
}
