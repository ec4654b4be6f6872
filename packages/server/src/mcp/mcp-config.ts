import path from 'node:path'
import { parseMcpEntry, toolKey } from '@troupe/core'
import { type McpEntry, mcpNamePattern, NamedError } from '@troupe/protocol'
import { z } from 'zod'
import { type ConfigFile, type ProjectConfigs, readJsonFile } from '../config/config.ts'
import { writePrivately } from '../config/home.ts'
import { type WatchedFile, watchFile } from '../config/watched-file.ts'
import type { PolicyWorkspace } from '../permission/rule-layers.ts'

export interface McpSource {
  name: string
  origin: 'home' | 'project'
  file: string
  /** True if it is in the user's config.json. */
  editable: boolean
  entry?: McpEntry
  /** The reason the server cannot be used, regardless of user settings. */
  problem?: string
}

export interface McpSources {
  /** Returns the servers of a workspace: the user's, then those of a trusted project. Names are unique. */
  list(place: PolicyWorkspace): { servers: McpSource[]; problems: { path: string; message: string }[] }
}

type ServerEntries = Record<string, unknown>

/** The user's server overrides a project's with the same name, since rules refer to the user's. */
export function createMcpSources(options: { home: string; config: ConfigFile; projects: ProjectConfigs }): McpSources {
  const { config, projects } = options
  const files = new Map<string, WatchedFile<ServerEntries>>()
  const own = watched(path.join(options.home, '.mcp.json'))
  return {
    list(place) {
      const standard = watched(path.join(place.path, '.mcp.json'))
      const project = projects(place)
      const servers: McpSource[] = []
      const problems: { path: string; message: string }[] = []
      const taken = new Map<string, string>()
      add('home', config.path, config.get().mcpServers)
      add('home', own.path, own.get(), own.problem())
      if (place.trusted) {
        add('project', standard.path, standard.get(), standard.problem())
        add('project', project.path, project.get()?.mcpServers)
      } else {
        for (const file of [standard, project]) {
          const held = file === project ? project.get()?.mcpServers : standard.get()
          if (Object.keys(held ?? {}).length > 0)
            problems.push({
              path: file.path,
              message: 'It contains MCP servers. To use them, trust the folder: troupe trust',
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
        for (const [name, value] of Object.entries(given ?? {})) {
          const shown = JSON.stringify(name.slice(0, 100))
          const other = taken.get(toolKey(name))
          if (!mcpNamePattern.test(name))
            problems.push({
              path: file,
              message: `${shown} is not a valid MCP server name. Use up to 30 letters, digits, "_", "." and "-", without "__".`,
            })
          else if (other !== undefined)
            problems.push({
              path: file,
              message: `The MCP server ${shown} was skipped: ${other} has one with the same name.`,
            })
          else {
            taken.set(toolKey(name), file)
            servers.push({ name, origin, file, editable: file === config.path, ...read(value) })
          }
        }
      }
    },
  }

  function watched(file: string): WatchedFile<ServerEntries> {
    const known = files.get(file) ?? watchFile(file, readServers)
    files.set(file, known)
    return known
  }
}

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

/** The user's decisions about a server, stored apart from the config files. */
export interface McpServerState {
  /** Fingerprint of the trusted command or address. */
  command?: string | undefined
  /** Fingerprint of the trusted tool list. */
  tools?: string | undefined
  enabled?: boolean | undefined
  /** Enabled tools. Null: all. */
  useTools?: string[] | null | undefined
}

export interface McpStateFile {
  of(source: Pick<McpSource, 'origin' | 'name'>, folder: string): McpServerState
  change(source: Pick<McpSource, 'origin' | 'name'>, folder: string, change: McpServerState): void
  forget(source: Pick<McpSource, 'origin' | 'name'>, folder: string): void
}

const serverStateSchema = z.looseObject({
  command: z.string().optional(),
  tools: z.string().optional(),
  enabled: z.boolean().optional(),
  useTools: z.array(z.string()).nullable().optional(),
})
const stateFileSchema = z.looseObject({
  home: z.record(z.string(), serverStateSchema).default({}),
  projects: z.record(z.string(), z.record(z.string(), serverStateSchema)).default({}),
})
type StateFileContent = z.infer<typeof stateFileSchema>

/**
 * Opens `mcp-state.json` of the home, so no project can declare itself trusted. Throws `BadConfig` if it is unreadable
 * at first.
 */
export function openMcpStateFile(home: string): McpStateFile {
  const file = watchFile(path.join(home, 'mcp-state.json'), readStateFile)
  if (file.get() === undefined) throw file.problem() as NamedError
  return {
    of: (source, folder) => statesAt(file.get() as StateFileContent, source, folder)[source.name] ?? {},
    change(source, folder, change) {
      update(source, folder, (entries) => ({
        ...entries,
        [source.name]: { ...ownState(entries, source.name), ...change },
      }))
    },
    forget(source, folder) {
      update(source, folder, (entries) =>
        Object.fromEntries(Object.entries(entries).filter(([name]) => name !== source.name)),
      )
    },
  }

  function update(
    source: Pick<McpSource, 'origin' | 'name'>,
    folder: string,
    change: (entries: Record<string, McpServerState>) => Record<string, McpServerState>,
  ): void {
    const current = readStateFile(file.path)
    const entries = change(statesAt(current, source, folder))
    const next: unknown =
      source.origin === 'home'
        ? { ...current, home: entries }
        : { ...current, projects: { ...current.projects, [folder]: entries } }
    writePrivately(file.path, `${JSON.stringify(next, null, 2)}\n`)
  }
}

function statesAt(
  { home, projects }: StateFileContent,
  { origin }: Pick<McpSource, 'origin'>,
  folder: string,
): Record<string, McpServerState> {
  if (origin === 'home') return { ...home }
  return Object.hasOwn(projects, folder) ? { ...projects[folder] } : {}
}

function ownState(entries: Record<string, McpServerState>, name: string): McpServerState {
  return Object.hasOwn(entries, name) ? (entries[name] as McpServerState) : {}
}

function readStateFile(file: string): StateFileContent {
  const result = stateFileSchema.safeParse(readJsonFile(file) ?? {})
  if (result.success) return result.data
  const issues = result.error.issues.map((issue) => `${issue.path.map(String).join('.')}: ${issue.message}`)
  throw new NamedError('BadConfig', `${file}: ${issues.slice(0, 5).join('; ')}.`, { data: { file, issues } })
}
