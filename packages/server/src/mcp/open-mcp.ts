import type { McpSources, McpSource } from './server-status.ts'
import { randomUUID } from 'node:crypto'
import path from 'node:path'
import {
  deferTools,
  isInside,
  type McpLimits,
  parseMcpEntry,
  startWarden,
  type Tool,
  toolKey,
  type Workspace,
} from '@troupe/core'
import { type McpEntry, mcpNamePattern, NamedError } from '@troupe/protocol'
import { type ConfigFile, type ProjectConfigs, readJsonFile, type WatchedFile, watchFile } from '../config/config.ts'
import { entryVersion, isEditableFile } from './mcp-file.ts'
import { createLoginFiles, createOAuthLogins, type LoginStore, type OAuthLogins } from './oauth-logins.ts'
import { createWorkspaceMcp, type WorkspaceMcp, type WorkspaceMcpOptions } from './workspace-mcp.ts'
import { scopeOf } from '../workspaces/open-workspaces.ts'
import { openMcpStateFile } from './mcp-state-file.ts'

export interface Mcp {
  /** Called when a workspace is used or its trust changes. */
  load(workspace: Workspace): void
  of(workspace: Workspace): WorkspaceMcp
  /** Adds the servers' tools to `others`. Returns the same array until something changes. */
  join(scope: string, others: readonly Tool[]): readonly Tool[]
  problems(workspaceId: string): { path: string; message: string }[]
  /**
   * Waits for the servers of a loaded workspace that are still connecting. Returns a note for the model about those
   * that are not ready.
   */
  ready(workspace: Workspace): Promise<string | undefined>
  /** The servers in the config files of a workspace. */
  sources(workspace: Workspace): readonly McpSource[]
  /** Rereads the config files of all loaded workspaces. */
  refresh(): void
  reconnect(): void
  /** Keys and headers passed to servers. */
  secrets(): readonly string[]
  logins: OAuthLogins
  close(): Promise<void>
}

interface WorkspaceEntry {
  workspace: Workspace
  mcp: WorkspaceMcp
  /** No config file had a server when they were last read. */
  isEmpty: boolean
  joined?: { own: readonly Tool[]; others: readonly Tool[]; all: readonly Tool[] }
}

/** Time limit for the first model call of a run to wait. */
const readyMs = 10_000

export function openMcp(options: {
  home: string
  config: ConfigFile
  projects: ProjectConfigs
  /** False for a folder that hangs. */
  responds?: (folder: string) => boolean
  env: NodeJS.ProcessEnv
  folderIsolation?: WorkspaceMcpOptions['folderIsolation']
  redirectUrl: () => string
  /** Storage of logins. Default: files in the home. */
  logins?: LoginStore | undefined
  /** Servers of folders that an administrator allows. Default: all. */
  allows?: ((entry: McpEntry) => boolean) | undefined
  limits?: Partial<McpLimits>
  readyMs?: number
}): Mcp {
  const { home, config, projects, env } = options
  const sources = createMcpSources({
    home,
    config,
    projects,
    responds: options.responds,
    allows: options.allows,
  })
  const memories = openMcpStateFile(home)
  const logins = createOAuthLogins({
    store: options.logins ?? createLoginFiles(home),
    redirectUrl: options.redirectUrl,
  })
  const workspaces = new Map<string, WorkspaceEntry>()
  const secrets = new Set<string>()
  const mark = `mcp-${randomUUID()}`
  let warden: ReturnType<typeof startWarden> | undefined

  const all: Mcp = {
    logins,
    load(given) {
      const workspace = entryPlace(given)
      const known = workspaces.get(scopeOf(workspace))
      if (known === undefined) {
        const mcp = createWorkspaceMcp(workspace, {
          sources,
          memories,
          logins,
          env,
          folderIsolation: options.folderIsolation,
          mark,
          warden: () => (warden ??= startWarden(mark)),
          onSecrets: (found) => found.forEach((secret) => secrets.add(secret)),
          limits: options.limits,
        })
        workspaces.set(scopeOf(workspace), { workspace, mcp, isEmpty: false })
      } else {
        const found = sources.list(workspace)
        const isEmpty = found.servers.length === 0 && found.problems.length === 0
        if (!isEmpty || !known.isEmpty) known.mcp.refresh(workspace, found)
        Object.assign(known, { workspace, isEmpty })
      }
    },
    of(workspace) {
      all.load(workspace)
      return (workspaces.get(scopeOf(entryPlace(workspace))) as WorkspaceEntry).mcp
    },
    join(scope, others) {
      const known = workspaces.get(scope) ?? workspaces.get(scope.split(' ', 1)[0] ?? scope)
      if (known === undefined || known.isEmpty) return others
      const own = known.mcp.tools()
      if (own.length === 0) return others
      if (known.joined?.own !== own || known.joined.others !== others)
        known.joined = { own, others, all: deferTools([...others, ...own]) }
      return known.joined.all
    },
    problems: (workspaceId) => workspaces.get(workspaceId)?.mcp.problems() ?? [],
    async ready(workspace) {
      const known = workspaces.get(scopeOf(entryPlace(workspace)))
      if (known === undefined || known.isEmpty) return undefined
      const missing = await known.mcp.ready(options.readyMs ?? readyMs)
      if (missing.length === 0) return undefined
      const names = missing.map((name) => `"${name}"`).join(', ')
      return `These MCP servers are still connecting, so you do not have their tools yet: ${names}.`
    },
    sources: (workspace) => sources.list(workspace).servers,
    refresh() {
      for (const { workspace, mcp } of workspaces.values()) mcp.refresh(workspace)
    },
    reconnect() {
      for (const { mcp } of workspaces.values()) mcp.reconnect()
    },
    secrets: () => [...secrets],
    async close() {
      await Promise.all(workspaces.values().map(({ mcp }) => mcp.close()))
      warden?.dismiss()
    },
  }
  return all

  /** Projects without servers of their own share the connections of their workspace. */
  function entryPlace({ projects: nested = [], ...workspace }: Workspace): Workspace {
    const hasOwn = workspace.trusted && nested.some((project) => sources.hasServers(project))
    return hasOwn ? { ...workspace, projects: nested } : workspace
  }
}

type ServerEntries = Record<string, unknown>

/** The user's server overrides a project's with the same name, since rules refer to the user's. */
function createMcpSources(options: {
  home: string
  config: ConfigFile
  projects: ProjectConfigs
  responds?: ((folder: string) => boolean) | undefined
  allows?: ((entry: McpEntry) => boolean) | undefined
}): McpSources {
  const { config, projects, responds = () => true, allows = () => true } = options
  const files = new Map<string, WatchedFile<ServerEntries>>()
  const own = watched(path.join(options.home, '.mcp.json'))
  return {
    hasServers: (folder) =>
      Object.keys(watched(path.join(folder.path, '.mcp.json')).get() ?? {}).length > 0 ||
      Object.keys(projects(folder).get()?.mcpServers ?? {}).length > 0,
    list(place) {
      const standard = watched(path.join(place.path, '.mcp.json'))
      const project = projects(place)
      const servers: McpSource[] = []
      const problems: { path: string; message: string }[] = []
      const taken = new Map<string, string>()
      add('home', config.path, config.get().mcpServers)
      add('home', own.path, own.get(), own.problem())
      if (place.trusted) {
        // The innermost project comes first, and the first server of a name is used.
        for (const folder of (place.projects ?? []).toReversed()) {
          const file = watched(path.join(folder.path, '.mcp.json'))
          add('project', file.path, file.get(), file.problem())
          add('project', projects(folder).path, projects(folder).get()?.mcpServers)
        }
        add('project', standard.path, standard.get(), standard.problem())
        add('project', project.path, project.get()?.mcpServers)
      } else {
        for (const file of [standard, project]) {
          const held = file === project ? project.get()?.mcpServers : standard.get()
          if (Object.keys(held ?? {}).length > 0)
            problems.push({
              path: file.path,
              message: 'This file adds MCP servers. Trust the folder to use them.',
            })
        }
      }
      return { servers, problems }

      function add(
        origin: McpSource['origin'],
        file: string,
        given: ServerEntries | undefined,
        problem?: NamedError,
      ): void {
        if (problem !== undefined) problems.push({ path: file, message: problem.message })
        const entries = Object.entries(given ?? {})
        // Every message asks for this list, and most files are missing.
        if (entries.length === 0) return
        const editable = file === config.path || isEditableFile(file, origin === 'home' ? options.home : place.path)
        for (const [name, value] of entries) {
          const shown = JSON.stringify(name.slice(0, 100))
          const other = taken.get(toolKey(name))
          if (!mcpNamePattern.test(name))
            problems.push({
              path: file,
              message: `${shown} is not a valid MCP server name. Use up to 30 letters, digits, "_", "." and "-", without "__".`,
            })
          else if (other !== undefined && isNested(other, file)) continue
          else if (other !== undefined)
            problems.push({
              path: file,
              message: `The MCP server ${shown} was skipped: ${other} has one with the same name.`,
            })
          else {
            taken.set(toolKey(name), file)
            const given = read(value)
            const isRefused = origin === 'project' && given.entry !== undefined && !allows(given.entry)
            servers.push({
              name,
              origin,
              file,
              editable,
              version: entryVersion(value),
              ...(isRefused ? { problem: notAllowed } : given),
            })
          }
        }
      }
    },
  }

  function watched(file: string): WatchedFile<ServerEntries> {
    const known = files.get(file) ?? watchFile(file, readServers, () => responds(path.dirname(file)))
    files.set(file, known)
    return known
  }
}

/** A project overrides the servers of the folders around it. */
function isNested(file: string, around: string): boolean {
  const [inner, outer] = [file, around].map((one) => path.dirname(one).replace(/[/\\]\.troupe$/, '')) as [
    string,
    string,
  ]
  return inner !== outer && isInside(inner, outer)
}

const notAllowed = 'The policy of the organization does not allow this server.'

function read(value: unknown): Pick<McpSource, 'entry' | 'problem'> {
  try {
    return { entry: parseMcpEntry(value) }
  } catch (error) {
    return { problem: `It could not be read: ${(error as Error).message}.` }
  }
}

function readServers(file: string): ServerEntries {
  const value = readJsonFile(file) as { mcpServers?: unknown } | undefined
  const servers = value?.mcpServers ?? {}
  if (typeof servers === 'object' && !Array.isArray(servers)) return servers as ServerEntries
  throw new NamedError('BadConfig', `${file}: "mcpServers" is not an object of servers by their names.`, {
    data: { file },
  })
}
