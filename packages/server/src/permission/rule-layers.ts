import path from 'node:path'
import {
  type Effect,
  type Mode,
  modes,
  type RuleLine,
  type Session,
  type SessionRule,
  type Store,
  type Workspace,
} from '@troupe/core'
import { NamedError } from '@troupe/protocol'
import { z } from 'zod'
import {
  type Config,
  type ConfigFile,
  type ProjectConfigs,
  readConfig,
  readJsonFile,
  type WatchedFile,
  watchFile,
} from '../config/config.ts'
import { writePrivately } from '../config/home.ts'

export interface LayeredRule extends RuleLine {
  file: string
  /** False for files edited by hand: the administrator's and the project's. */
  editable: boolean
  /** A rule of one person, which applies in their own chats. */
  own?: boolean
}

export type RuleTexts = { [E in Effect]?: string[] | undefined }
export type RememberScope = 'session' | 'project' | 'always'
export type PolicyWorkspace = Pick<Workspace, 'path' | 'trusted' | 'projects'> & { id?: string }

export interface StoredRules {
  always?: RuleTexts | undefined
  /** By the id of the workspace. */
  folders?: Record<string, RuleTexts> | undefined
}

/** Keeps rules for a server with several people, instead of `rules.json`. Without a person: rules for everyone. */
export interface SharedRules {
  get(person: string | undefined): StoredRules
  update(person: string | undefined, change: (rules: StoredRules) => StoredRules): Promise<void>
}

/** Named like files where rules are listed. */
const sharedNames = { everyone: 'the rules of the organization', person: 'your remembered approvals' }

/** Rules that an administrator sets for everyone. Nobody else can loosen them. */
export interface ManagedConfig {
  permissions?: Config['permissions']
  /** The modes that people may use. Plan mode is always allowed. Default: all. */
  modes?: readonly Mode[] | undefined
  /** Allow rules of others have no effect. */
  ignoreAllowRules?: boolean | undefined
  /** The only tools that may run. */
  tools?: readonly string[] | undefined
  /** The only hosts that may be reached, with their subdomains. */
  hosts?: readonly string[] | undefined
}

/** The rules in files. Every call reads the current files. */
export interface RuleLayers {
  managed(): ManagedConfig
  /** `person`: the owner of the chat. With `managed`, tries out another one. */
  rules(workspace: PolicyWorkspace, given?: { person?: string | undefined; managed?: ManagedConfig }): LayeredRule[]
  warnings(workspace: PolicyWorkspace): string[]
  /** Names a file that was never readable. Its deny rules are unknown, so nothing may run without approval. */
  unreadable(workspace: PolicyWorkspace): string | undefined
  mode(workspace: PolicyWorkspace): Mode
  /**
   * Changes the user's rules for this project or for all. With `person`, those of this person on a server of several.
   * Throws `BadConfig` instead of losing data.
   */
  change(
    at: { workspace: PolicyWorkspace; scope: 'project' | 'always'; person?: string | undefined },
    change: (rules: RuleTexts) => RuleTexts,
  ): Promise<void>
  /** True if rules are stored for several people. */
  readonly isShared: boolean
  /** The user's rules follow a moved folder, unless the new path has its own. */
  move(from: string, to: string): void
}

const effects: readonly Effect[] = ['deny', 'ask', 'allow']
const texts = z.array(z.string().min(1).max(2000)).max(10_000).optional()

/**
 * `rules.json`: the user's rules by project folder. Stored in the home, so a project cannot grant itself permissions.
 */
const rulesFileSchema = z.record(z.string(), z.looseObject({ allow: texts, ask: texts, deny: texts }))
type RulesFile = z.infer<typeof rulesFileSchema>

export function openRuleLayers(options: {
  /** The Troupe home, not the user's home folder. */
  home: string
  /** Base of `/` in user and machine rules. */
  personHome: string
  config: ConfigFile
  projects: ProjectConfigs
  managedFile: string
  /** Used instead of the file. */
  managed?: WatchedFile<ManagedConfig> | undefined
  /** Used instead of `rules.json`, which then only adds rules. */
  shared?: SharedRules | undefined
  allowBypass: boolean
}): RuleLayers {
  const { home, personHome, config, projects, allowBypass, shared } = options
  const managed = options.managed ?? watchFile<ManagedConfig>(options.managedFile, readManagedFile)
  const remembered = watchFile(path.join(home, 'rules.json'), readRulesFile)
  // The machine's and the user's files must be readable at startup.
  for (const file of [managed, remembered]) {
    const problem = file.problem()
    if (problem !== undefined) throw problem
  }

  return {
    managed: () => managed.get() ?? {},
    isShared: shared !== undefined,
    rules(workspace, { person, managed: given = managed.get() } = {}) {
      const project = projects(workspace)
      const own = remembered.get()
      return [
        ...layerLines(given?.permissions, { layer: 'managed', base: personHome, file: managed.path }),
        ...layerLines(config.get().permissions, { layer: 'user', base: personHome, file: config.path, editable: true }),
        ...layerLines(workspace.trusted ? project.get()?.permissions : undefined, {
          layer: 'project',
          base: workspace.path,
          file: project.path,
        }),
        ...nested(workspace).flatMap(({ base, file }) =>
          layerLines(tightening(file.get()?.permissions), { layer: 'project', base, file: file.path }),
        ),
        ...layerLines(Object.hasOwn(own ?? {}, workspace.path) ? own?.[workspace.path] : undefined, {
          layer: 'project',
          base: workspace.path,
          file: remembered.path,
          editable: shared === undefined,
        }),
        ...sharedLines(workspace, undefined),
        ...(person === undefined ? [] : sharedLines(workspace, person)),
      ]
    },
    warnings(workspace) {
      const project = projects(workspace)
      const broken = [managed, remembered, ...(workspace.trusted ? [project] : [])].flatMap((file) => {
        const problem = file.problem()
        if (problem === undefined) return []
        return `${problem.message} ${file.get() === undefined ? 'Until it is fixed, everything needs approval.' : 'Its previous rules still apply.'}`
      })
      const modeWarnings = [managed, config, ...(workspace.trusted ? [project] : [])].flatMap((file) => {
        const given = file.get()?.permissions?.mode
        const why = given === undefined ? undefined : refusal(given, file === project)
        return why === undefined ? [] : `${file.path}: the mode "${given}" ${why}.`
      })
      const held =
        !workspace.trusted && layerLines(readQuietly(project)?.permissions, { file: project.path }).length > 0
      return [
        ...broken,
        ...modeWarnings,
        ...(held ? [`${project.path} has rules. They apply once you trust the folder: troupe trust`] : []),
      ]
    },
    unreadable(workspace) {
      if (!workspace.trusted) return undefined
      const files = [projects(workspace), ...nested(workspace).map(({ file }) => file)]
      return files.find((file) => file.get() === undefined)?.problem()?.message
    },
    mode(workspace) {
      const project = projects(workspace)
      const wanted = [
        managed.get()?.permissions?.mode,
        ...nested(workspace)
          .map(({ file }) => usable(file.get()?.permissions?.mode, true))
          .filter((mode) => mode === 'plan' || mode === 'default')
          .toReversed(),
        ...(workspace.trusted ? [usable(project.get()?.permissions?.mode, true)] : []),
        config.get().permissions?.mode,
      ]
      const mode = wanted.map((one) => usable(one, false)).find((one) => one !== undefined) ?? 'default'
      return allowedMode(mode, managed.get())
    },
    async change({ workspace, scope, person }, change) {
      if (shared !== undefined && (scope === 'project' || person !== undefined))
        return changeShared(shared, { workspace, scope, person }, change)
      if (scope === 'always')
        return config.update((current) => ({
          ...current,
          permissions: { ...current.permissions, ...change(current.permissions ?? {}) },
        }))
      const current = readRulesFile(remembered.path)
      const own = Object.hasOwn(current, workspace.path) ? current[workspace.path] : undefined
      const next = { ...current, [workspace.path]: { ...own, ...change(own ?? {}) } }
      writePrivately(remembered.path, `${JSON.stringify(next, null, 2)}\n`)
    },
    move(from, to) {
      const { [from]: rules, ...others } = readRulesFile(remembered.path)
      if (rules === undefined) return
      writePrivately(remembered.path, `${JSON.stringify({ [to]: rules, ...others }, null, 2)}\n`)
    },
  }

  function sharedLines(workspace: PolicyWorkspace, person: string | undefined): LayeredRule[] {
    const { always, folders = {} } = shared?.get(person) ?? {}
    const own = person !== undefined
    const file = own ? sharedNames.person : sharedNames.everyone
    const ofFolder = workspace.id !== undefined && Object.hasOwn(folders, workspace.id) ? folders[workspace.id] : {}
    return [
      ...layerLines(always, { layer: 'user', base: personHome, file, editable: true, own }),
      ...layerLines(ofFolder, { layer: 'project', base: workspace.path, file, editable: true, own }),
    ]
  }

  /**
   * Rules of a project inside the workspace that only restrict. The sandbox protects such files at the root of the
   * workspace alone, so an agent could write them and allow itself more.
   */
  function tightening(permissions: Config['permissions']): Config['permissions'] {
    return permissions === undefined ? undefined : { ask: permissions.ask, deny: permissions.deny }
  }

  /** Config files of the projects of a session, outermost first. */
  function nested(workspace: PolicyWorkspace): { base: string; file: WatchedFile<Config> }[] {
    if (!workspace.trusted) return []
    return (workspace.projects ?? []).map((project) => ({ base: project.path, file: projects(project) }))
  }

  function usable(mode: string | undefined, ofProject: boolean): Mode | undefined {
    return mode === undefined || refusal(mode, ofProject) !== undefined ? undefined : (mode as Mode)
  }

  function refusal(mode: string, ofProject: boolean): string | undefined {
    if (!modes.some((known) => known === mode)) return `is not one of ${modes.join(', ')}`
    if (mode !== 'bypass') return undefined
    if (ofProject) return 'cannot be set by a project'
    return allowBypass ? undefined : 'requires a server started with --allow-bypass'
  }
}

function changeShared(
  shared: SharedRules,
  { workspace, scope, person }: Parameters<RuleLayers['change']>[0],
  change: (rules: RuleTexts) => RuleTexts,
): Promise<void> {
  const { id } = workspace
  if (scope === 'always')
    return shared.update(person, (now) => ({ ...now, always: { ...now.always, ...change(now.always ?? {}) } }))
  if (id === undefined) throw new NamedError('WorkspaceNotFound', 'This folder is not open here.', { status: 404 })
  return shared.update(person, ({ folders = {}, ...now }) => {
    const own = Object.hasOwn(folders, id) ? folders[id] : undefined
    return { ...now, folders: { ...folders, [id]: { ...own, ...change(own ?? {}) } } }
  })
}

/** The mode itself, or the one that is used in its place. */
export function allowedMode(mode: Mode, { modes: allowed }: ManagedConfig = {}): Mode {
  if (allowed === undefined || mode === 'plan' || allowed.includes(mode)) return mode
  return allowed.includes('default') ? 'default' : 'plan'
}

/** A file holds rules and a mode only. The rest belongs to the policy of an organization. */
function readManagedFile(file: string): ManagedConfig {
  const { permissions } = readConfig(file)
  return { permissions }
}

function layerLines(
  permissions: RuleTexts | undefined,
  given: Pick<LayeredRule, 'file'> & Partial<LayeredRule>,
): LayeredRule[] {
  const { layer = 'project', base = '', file, editable = false, own } = given
  return effects.flatMap((effect) =>
    (permissions?.[effect] ?? []).map((text) => ({
      text,
      effect,
      layer,
      base,
      file,
      editable,
      ...(own === true && { own }),
    })),
  )
}

/** An untrusted project has no effect, so its problems are not reported. */
function readQuietly(file: WatchedFile<Config>): Config | undefined {
  return file.problem() === undefined ? file.get() : undefined
}

function readRulesFile(file: string): RulesFile {
  const value = readJsonFile(file)
  if (value === undefined) return {}
  const result = rulesFileSchema.safeParse(value)
  if (result.success) return result.data
  const issues = result.error.issues.map(
    (issue) => `${issue.path.map(String).join('.') || 'the file'}: ${issue.message}`,
  )
  throw new NamedError('BadConfig', `${file}: ${issues.slice(0, 5).join('; ')}.`, { data: { file, issues } })
}

type Grants = Pick<Session, 'mode' | 'rules'>

/** The user's grants per session, cached for every call. Changes go to the store first. */
export interface SessionGrants {
  of(session: Session): Grants
  setMode(sessionId: string, mode: Mode): Promise<Session>
  /** With a store, runs in its transaction. Call `refresh` afterwards to apply the change. */
  setRules(sessionId: string, change: (rules: SessionRule[]) => SessionRule[], inside?: Store): Promise<void>
  refresh(sessionId: string): Promise<void>
  forget(sessionId: string): void
}

export function createSessionGrants(store: Store): SessionGrants {
  const changed = new Map<string, Grants>()

  function take(session: Session): Session {
    changed.set(session.id, { mode: session.mode, rules: session.rules })
    return session
  }

  async function refresh(sessionId: string): Promise<void> {
    const session = await store.sessions.get(sessionId)
    if (session !== undefined) take(session)
  }

  return {
    of: (session) => changed.get(session.id) ?? session,
    setMode: async (sessionId, mode) => take(await store.sessions.update(sessionId, { mode })),
    async setRules(sessionId, change, inside) {
      const write = async (to: Store): Promise<void> => {
        const session = await to.sessions.get(sessionId)
        await to.sessions.update(sessionId, { rules: change(session?.rules ?? []) })
      }
      if (inside !== undefined) return write(inside)
      await store.transaction(write)
      await refresh(sessionId)
    },
    refresh,
    forget: (sessionId) => void changed.delete(sessionId),
  }
}
