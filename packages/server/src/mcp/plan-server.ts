import { mcpFingerprint, resolveMcpEntry, type McpEntry, type McpServer, type McpServerConfig } from '@troupe/core'
import type { McpStateFile, McpServerState } from './mcp-memory.ts'
import type { McpSource } from './mcp-sources.ts'

/** A server of the files, and what has become of it. */
export interface PlannedServer {
  source: McpSource
  memory: McpServerState
  /** Changes whenever it has to be started anew. */
  version: string
  config?: McpServerConfig
  server?: McpServer
  state: 'running' | 'needs-trust' | 'disabled' | 'failed'
  error?: string
  fingerprint?: string
}

/** What is to become of a server, by the files and what the person has said. */
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
          ? `The project brings the MCP server "${name}". Look at what it starts before you trust it.`
          : `The MCP server "${name}" is no longer started as you trusted it. Look at it and trust it again.`,
    })
  try {
    const config = resolveMcpEntry(entry, origin === 'home' ? env : undefined)
    const version = `running ${fingerprint} ${JSON.stringify([config, entry.timeout])}`
    return Object.assign(planned, { config, version, state: 'running' })
  } catch (error) {
    const why = `The MCP server "${name}" cannot be used: ${(error as Error).message}.`
    return Object.assign(planned, { version: `failed ${why}`, error: why })
  }
}

/** The names of the tools in use; undefined: all. */
export function usedTools(entry: McpEntry | undefined, memory: McpServerState): Set<string> | undefined {
  const names = memory.useTools === undefined ? entry?.useTools : memory.useTools
  return names === undefined || names === null ? undefined : new Set(names)
}
