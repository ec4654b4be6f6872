import path from 'node:path'
import {
  buildTools,
  createHooks,
  defaultHookMs,
  enabledTools,
  getBuiltinTools,
  getToolInfos,
  type Hook,
  hookEvents,
  type Isolation,
  loadHooks,
  loadTools,
  type Store,
  type Tool,
  type Workspace,
} from '@troupe/core'
import { hookEndpoints, type HookInfo, toolEndpoints } from '@troupe/protocol'
import type { Config, ConfigFile, ProjectConfigs } from '../config/config.ts'
import { implement, type Route } from '../http/route.ts'
import { findWorkspace } from '../http/scope.ts'
import type { PolicyWorkspace } from '../permission/rule-layers.ts'
import { isJoinedId } from '../util/joined-folder.ts'
import type { Logger } from '../util/logger.ts'
import { SlowFolder } from '../workspaces/file-thread.ts'
import { readResponding } from '../workspaces/folder-states.ts'
import { isSlow } from '../workspaces/inspect-folder.ts'
import { createHookEdits, hookId, type HookScope } from './hook-edits.ts'

export interface LoadProblem {
  path: string
  message: string
}

interface ToolFiles {
  /** Returns the tools of a workspace, or only the global ones if it was never loaded. */
  list: (workspaceId: string) => readonly Tool[]
  problems: (workspaceId: string) => LoadProblem[]
  /** Reads the workspace's folders, and rereads them if its trust changed. */
  load: (workspace: Workspace) => void
}

export function openTools(options: {
  home: string
  logger: Logger
  /** False for a folder that hangs. Its tools are read when it responds. */
  responds?(folder: string): boolean
  /** False if others could write them: tools run in our process. */
  loadsFolders?: boolean
}): ToolFiles {
  const { home, logger, responds = () => true, loadsFolders = true } = options
  const everywhere = read([])
  const loaded = new Map<string, { trusted: boolean; tools: readonly Tool[]; problems: LoadProblem[] }>()
  return {
    list: (workspaceId) => (loaded.get(workspaceId) ?? everywhere).tools,
    problems: (workspaceId) => (loaded.get(workspaceId) ?? everywhere).problems,
    load({ id, trusted, path: folder }) {
      if (loaded.get(id)?.trusted === trusted) return
      const reads = trusted && loadsFolders
      const found = readResponding(
        () => !reads || responds(folder),
        () => (reads ? read([path.join(folder, '.troupe', 'tools')]) : everywhere),
        () => undefined,
      )
      if (found !== undefined) loaded.set(id, { trusted, ...found })
    },
  }

  function read(folders: string[]): { tools: readonly Tool[]; problems: LoadProblem[] } {
    const own = loadTools([path.join(home, 'tools'), ...folders], getBuiltinTools())
    for (const problem of own.problems) {
      logger({ level: 'warn', ...problem, message: `a tool was not loaded: ${problem.message}` })
    }
    return { tools: [...getBuiltinTools(), ...own.entries.map((entry) => entry.value)], problems: own.problems }
  }
}

/** The tools of each workspace: built-in ones, tool files, MCP servers and the browser. */
export interface WorkspaceTools {
  list(workspaceId: string): readonly Tool[]
  /** Those that the settings enable. `scope`: a workspace, or one with a project, see `scopeOf`. */
  enabled(scope: string): readonly Tool[]
  infos(workspaceId: string): ReturnType<typeof getToolInfos>
}

export function createWorkspaceTools({
  files,
  mcp,
  browsers,
  config,
  joined,
}: {
  files: Pick<ToolFiles, 'list'>
  mcp: { join(workspaceId: string, tools: readonly Tool[]): readonly Tool[] }
  browsers: { offered(tools: readonly Tool[]): readonly Tool[] }
  config: Pick<ConfigFile, 'get'>
  /** In team mode: for folders on members' computers. */
  joined?: { of(tools: readonly Tool[]): readonly Tool[] } | undefined
}): WorkspaceTools {
  /** By workspace. Every turn asks for them several times, and they change only with what they are made from. */
  const last = new Map<string, { config: Config; given: readonly Tool[]; enabled: readonly Tool[] }>()
  const allTools = (scope: string) => {
    const all = mcp.join(scope, files.list(scope.split(' ', 1)[0] ?? scope))
    return joined !== undefined && isJoinedId(scope) ? joined.of(all) : all
  }
  const tools: WorkspaceTools = {
    list: (workspaceId) => browsers.offered(allTools(workspaceId)),
    enabled(workspaceId) {
      const [current, given] = [config.get(), allTools(workspaceId)]
      const known = last.get(workspaceId)
      if (known?.config === current && known.given === given) return known.enabled
      const enabled = enabledTools(current.useTools, browsers.offered(given))
      last.set(workspaceId, { config: current, given, enabled })
      return enabled
    },
    infos: (workspaceId) => getToolInfos(config.get().useTools, tools.list(workspaceId)),
  }
  return tools
}

export function toolRoutes(options: {
  tools: WorkspaceTools
  problems: (workspace: Workspace) => LoadProblem[]
  store: Store
}): Route[] {
  return implement(toolEndpoints, {
    'GET /ai/tools': async ({ query, workspaceId }) => {
      const tools = options.tools.list(workspaceId)
      const schemas = query.schemas === undefined ? [] : buildTools(tools).map(({ inputSchema }) => inputSchema)
      return {
        tools: options.tools.infos(workspaceId).map((info, i) => ({
          ...info,
          readOnly: tools[i]?.readOnly ?? false,
          group: tools[i]?.group ?? '',
          inputSchema: schemas[i] as Record<string, unknown> | undefined,
        })),
        problems: options.problems(await findWorkspace(options.store, workspaceId)),
      }
    },
  })
}

export interface WorkspaceHooks {
  /** Returns the hooks active in a workspace: the user's, and those of a trusted project. Throws `SlowFolder`. */
  of(place: PolicyWorkspace): Hook[]
  problems(place: PolicyWorkspace): LoadProblem[]
  list(place: PolicyWorkspace): HookInfo[]
}

export function openHooks(options: {
  home: string
  personHome: string
  config: ConfigFile
  projects: ProjectConfigs
  env: NodeJS.ProcessEnv
  logger: Logger
  /** False for a folder that hangs. */
  responds?(folder: string): boolean
  /** In team mode: the isolation of a folder's own programs. Its modules are not loaded into our process. */
  folderIsolation?: ((workspace: string) => Isolation) | undefined
}): WorkspaceHooks {
  const { home, personHome, config, projects, env, logger, responds = () => true, folderIsolation } = options
  /** Modules of a workspace, keyed by trust: Node caches a module for the life of the process. */
  const loaded = new Map<string, ReturnType<typeof loadHooks>>()
  const built = new WeakMap<object, readonly Hook[]>()

  return {
    of: (place) => [...ofHome(), ...ofProject(place), ...modules(place).hooks],
    problems: (place) => knownModules(place).problems,
    list(place) {
      const { hooks, problems } = knownModules(place)
      const broken = new Set(problems.map((problem) => problem.path))
      return [
        ...listed(config.get().hooks, config.path, 'home'),
        ...(place.trusted ? listed(projects(place).get()?.hooks, projects(place).path, 'project') : []),
        ...hooks
          .filter(({ name }) => !broken.has(name))
          .map(({ event, match, timeoutMs, name }): HookInfo => {
            const scope = name.startsWith(home + path.sep) ? 'home' : 'project'
            return { event, source: name, scope, match, timeoutMs, enabled: true }
          }),
      ]
    },
  }

  function ofHome(): readonly Hook[] {
    return configured(config.get().hooks, config.path, personHome)
  }

  function ofProject(place: PolicyWorkspace): readonly Hook[] {
    if (!place.trusted) return []
    const project = projects(place)
    return configured(project.get()?.hooks, project.path, place.path)
  }

  /** Built once per version of a settings file. */
  function configured(given: Config['hooks'], source: string, base: string): readonly Hook[] {
    if (given === undefined) return []
    const known = built.get(given)
    if (known !== undefined) return known
    const hooks = createHooks(given, { source, base, home: personHome, env, isolation: folderIsolation })
    built.set(given, hooks)
    return hooks
  }

  /** For lists: without those of a folder that hangs. */
  function knownModules(place: PolicyWorkspace): ReturnType<typeof loadHooks> {
    try {
      return modules(place)
    } catch (error) {
      if (!isSlow(error)) throw error
      return { hooks: [], problems: [] }
    }
  }

  function modules(place: PolicyWorkspace): ReturnType<typeof loadHooks> {
    const key = `${place.trusted} ${place.path}`
    const known = loaded.get(key)
    if (known !== undefined) return known
    if (!responds(place.path)) throw new SlowFolder(place.path)
    const loadsModules = place.trusted && folderIsolation === undefined
    const folders = [path.join(home, 'hooks'), ...(loadsModules ? [path.join(place.path, '.troupe', 'hooks')] : [])]
    const found = loadHooks(folders, { base: place.path, home: personHome })
    // A hook that could not be read must not be missing later.
    if (!responds(place.path)) throw new SlowFolder(place.path)
    const problems = found.problems.map(({ path: file, message }) => ({
      path: file,
      message: `${message} Every tool call is denied until this is fixed.`,
    }))
    for (const problem of problems) {
      logger({ level: 'warn', ...problem, message: `a hook was not loaded: ${problem.message}` })
    }
    loaded.set(key, { hooks: found.hooks, problems })
    return { hooks: found.hooks, problems }
  }
}

/** The commands of a settings file, also those that are turned off. */
function listed(config: Config['hooks'], source: string, scope: HookScope): HookInfo[] {
  return hookEvents.flatMap((event) => {
    const entries = config?.[event] ?? []
    return entries.map(({ command, match, timeoutMs = defaultHookMs, enabled = true }, index) => {
      const rules = typeof match === 'string' ? [match] : match
      const shown = rules?.includes('*') === true ? undefined : rules
      return {
        id: hookId(scope, event, entries, index),
        event,
        source,
        scope,
        match: shown,
        command,
        timeoutMs,
        enabled,
      }
    })
  })
}

export function hookRoutes(options: { store: Store; config: ConfigFile; hooks: WorkspaceHooks }): Route[] {
  const { store, hooks } = options
  const edits = createHookEdits(options)
  const changed = (workspace: Workspace, id: string): { hook: HookInfo } => {
    const hook = hooks.list(workspace).find((one) => one.id === id)
    if (hook === undefined) throw new Error(`the hook ${id} was saved but is not listed`)
    return { hook }
  }
  return implement(hookEndpoints, {
    'POST /ai/hooks': async ({ body: { scope, ...draft }, workspaceId }) => {
      const workspace = await findWorkspace(store, workspaceId)
      return changed(workspace, await edits.add(workspace, scope, draft))
    },
    'PATCH /ai/hooks/:id': async ({ params, body, workspaceId }) => {
      const workspace = await findWorkspace(store, workspaceId)
      return changed(workspace, await edits.change(workspace, params.id, body))
    },
    'DELETE /ai/hooks/:id': async ({ params, workspaceId }) => {
      await edits.remove(await findWorkspace(store, workspaceId), params.id)
      return { deleted: params.id }
    },
    'GET /ai/hooks': async ({ workspaceId }) => {
      const workspace = await findWorkspace(store, workspaceId)
      return { hooks: hooks.list(workspace), problems: hooks.problems(workspace) }
    },
  })
}
