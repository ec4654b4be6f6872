import type { PolicyWorkspace } from '../permission/rule-layers.ts'
import { mcpFingerprint, type McpServer, type McpServerConfig, mcpToolName, resolveMcpEntry } from '@troupe/core'
import type { McpEntry, McpInfo } from '@troupe/protocol'

export interface PlannedServer {
  source: McpSource
  memory: McpServerState
  /** Changes whenever the server must be restarted. */
  version: string
  config?: McpServerConfig
  server?: McpServer
  state: 'running' | 'needs-trust' | 'disabled' | 'failed'
  error?: string
  fingerprint?: string
}

export function planServer(
  source: McpSource,
  { memories, folder, env }: { memories: McpStateFile; folder: string; env: NodeJS.ProcessEnv },
): PlannedServer {
  const memory = memories.of(source, folder)
  const { entry, problem, name, origin } = source
  const planned: PlannedServer = { source, memory, version: '', state: 'failed' }
  if (entry === undefined) return Object.assign(planned, { version: `failed ${problem}`, error: problem })
  const fingerprint = mcpFingerprint(entry)
  planned.fingerprint = fingerprint
  const isEnabled = memory.enabled ?? (entry.enabled !== false && entry.disabled !== true)
  if (!isEnabled) return Object.assign(planned, { version: `disabled ${fingerprint}`, state: 'disabled' })
  if (memory.command === undefined && origin === 'home') memories.change(source, folder, { command: fingerprint })
  else if (memory.command !== fingerprint)
    return Object.assign(planned, {
      version: `needs-trust ${fingerprint}`,
      state: 'needs-trust',
      error:
        memory.command === undefined
          ? `This project includes the MCP server "${name}". Check what it starts before you trust it.`
          : `The command of the MCP server "${name}" has changed since you trusted it. Review it and trust it again.`,
    })
  try {
    const config = resolveMcpEntry(entry, origin === 'home' ? env : undefined)
    const version = `running ${fingerprint} ${JSON.stringify([config, entry.timeout])}`
    return Object.assign(planned, { config, version, state: 'running' })
  } catch (error) {
    const why = `The MCP server "${name}" is not available: ${(error as Error).message}.`
    return Object.assign(planned, { version: `failed ${why}`, error: why })
  }
}

/** Returns the names of enabled tools, or undefined for all. */
export function usedTools(entry: McpEntry | undefined, memory: McpServerState): Set<string> | undefined {
  const names = memory.useTools === undefined ? entry?.useTools : memory.useTools
  return names === undefined || names === null ? undefined : new Set(names)
}

export function toMcpInfo(one: PlannedServer, login: McpInfo['login']): McpInfo {
  const { source, server, memory, state, error, fingerprint, config } = one
  const { entry, name, origin, file, editable, version, problem } = source
  const used = usedTools(entry, memory)
  const shownState = state === 'running' ? (server?.state ?? 'connecting') : state
  const tools = (server?.listed ?? []).map((tool) => ({
    name: tool.name,
    toolName: mcpToolName(name, tool.name),
    title: tool.annotations?.title ?? tool.title ?? tool.name,
    description: tool.description ?? '',
    readOnlyHint: tool.annotations?.readOnlyHint === true,
    enabled: used?.has(tool.name) ?? true,
    tokens: Math.ceil(JSON.stringify([tool.name, tool.description, tool.inputSchema]).length / 4),
  }))
  return {
    name,
    origin,
    file,
    editable,
    version,
    type: config?.type ?? (entry?.command === undefined ? (entry?.type === 'sse' ? 'sse' : 'http') : 'stdio'),
    command: entry?.command ?? null,
    args: entry?.args ?? [],
    cwd: entry?.cwd ?? null,
    url: entry?.url ?? null,
    env: Object.keys(entry?.env ?? {}),
    headers: Object.keys(entry?.headers ?? {}),
    timeout: entry?.timeout ?? null,
    enabled: state !== 'disabled',
    state: shownState,
    error: error ?? problem ?? server?.error ?? null,
    problems: [...(server?.problems ?? [])],
    retryAt: server?.retryAt ?? null,
    trust: trustOf(),
    login,
    title: server?.title ?? null,
    instructions: server?.instructions ?? null,
    tools,
    prompts: (server?.prompts ?? []).map((prompt) => ({
      name: prompt.name,
      description: prompt.description ?? '',
      arguments: (prompt.arguments ?? []).map((argument) => ({
        name: argument.name,
        description: argument.description ?? '',
        required: argument.required === true,
      })),
    })),
    resources: (server?.resources ?? []).map((resource) => ({
      uri: resource.uri,
      name: resource.name,
      description: resource.description ?? '',
    })),
    tokens: tools.reduce((sum, tool) => sum + (tool.enabled ? tool.tokens : 0), 0),
  }

  function trustOf(): McpInfo['trust'] {
    if (state === 'needs-trust' && fingerprint !== undefined) return { what: 'command', fingerprint }
    if (server?.state === 'needs-trust' && server.toolsFingerprint !== undefined)
      return { what: 'tools', fingerprint: server.toolsFingerprint }
    return null
  }
}

export interface McpSource {
  name: string
  origin: 'home' | 'project'
  file: string
  /** False if the file is a link out of its folder. */
  editable: boolean
  /** Changes with its entry in the file. */
  version: string
  entry?: McpEntry
  /** The reason the server cannot be used, regardless of user settings. */
  problem?: string
}

export interface McpSources {
  /** Returns the servers of a workspace: the user's, then those of a trusted project. Names are unique. */
  /** True if the folder has servers of its own. */
  hasServers(folder: { path: string }): boolean
  list(place: PolicyWorkspace): { servers: McpSource[]; problems: { path: string; message: string }[] }
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

const maxServers = 50

const maxInstructionsLength = 1000

const maxTotalLength = 6000

/** Describes the usable servers for agents at the start of a session: names and the servers' instructions. */
export function describeServers(
  servers: readonly Pick<McpServer, 'name' | 'state' | 'title' | 'instructions'>[],
): string {
  const ready = servers.filter(({ state }) => state === 'ready')
  if (ready.length === 0) return ''
  let left = maxTotalLength
  const lines = ready.slice(0, maxServers).map(({ name, title, instructions = '' }) => {
    const words = oneLine(instructions).slice(0, Math.min(maxInstructionsLength, left))
    left -= words.length
    const called = title === undefined || title === name ? name : `${name} (${oneLine(title).slice(0, 100)})`
    return `- ${called}${words === '' ? '' : `: ${words}`}`.toWellFormed()
  })
  if (ready.length > maxServers) lines.push(`- and ${ready.length - maxServers} more`)
  return `MCP servers. Their tools are named mcp__<server>_<tool>. The descriptions come from the servers themselves:\n${lines.join('\n')}`
}

function oneLine(text: string): string {
  return text.replace(/\s+/g, ' ').trim()
}
