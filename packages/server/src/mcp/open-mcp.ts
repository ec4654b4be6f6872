import { randomUUID } from 'node:crypto'
import { deferTools, type McpLimits, type McpServer, startWarden, type Tool, type Workspace } from '@troupe/core'
import type { ConfigFile, ProjectConfigs } from '../config/config.ts'
import { createMcpSources, openMcpStateFile } from './mcp-config.ts'
import { createOAuthLogins, type OAuthLogins } from './oauth-logins.ts'
import { createWorkspaceMcp, type WorkspaceMcp } from './workspace-mcp.ts'

export interface Mcp {
  /** Called when a workspace is used or its trust changes. */
  load(workspace: Workspace): void
  of(workspace: Workspace): WorkspaceMcp
  /** Adds the servers' tools to `others`. Returns the same array until something changes. */
  join(workspaceId: string, others: readonly Tool[]): readonly Tool[]
  problems(workspaceId: string): { path: string; message: string }[]
  /**
   * Waits for the servers of a loaded workspace that are still connecting. Returns a note for the model about those
   * that are not ready.
   */
  ready(workspace: Workspace): Promise<string | undefined>
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
  joined?: { own: readonly Tool[]; others: readonly Tool[]; all: readonly Tool[] }
}

/** Time limit for the first model call of a run to wait. */
const readyMs = 10_000

export function openMcp(options: {
  home: string
  config: ConfigFile
  projects: ProjectConfigs
  env: NodeJS.ProcessEnv
  redirectUrl: () => string
  limits?: Partial<McpLimits>
  readyMs?: number
}): Mcp {
  const { home, config, projects, env } = options
  const sources = createMcpSources({ home, config, projects })
  const memories = openMcpStateFile(home)
  const logins = createOAuthLogins({ home, redirectUrl: options.redirectUrl })
  const workspaces = new Map<string, WorkspaceEntry>()
  const secrets = new Set<string>()
  const mark = `mcp-${randomUUID()}`
  let warden: ReturnType<typeof startWarden> | undefined

  const all: Mcp = {
    logins,
    load(workspace) {
      const known = workspaces.get(workspace.id)
      if (known === undefined) {
        const mcp = createWorkspaceMcp(workspace, {
          sources,
          memories,
          logins,
          env,
          mark,
          warden: () => (warden ??= startWarden(mark)),
          onSecrets: (found) => found.forEach((secret) => secrets.add(secret)),
          limits: options.limits,
        })
        workspaces.set(workspace.id, { workspace, mcp })
      } else {
        known.workspace = workspace
        known.mcp.refresh(workspace)
      }
    },
    of(workspace) {
      all.load(workspace)
      return (workspaces.get(workspace.id) as WorkspaceEntry).mcp
    },
    join(workspaceId, others) {
      const known = workspaces.get(workspaceId)
      const own = known?.mcp.tools() ?? []
      if (known === undefined || own.length === 0) return others
      if (known.joined?.own !== own || known.joined.others !== others)
        known.joined = { own, others, all: deferTools([...others, ...own]) }
      return known.joined.all
    },
    problems: (workspaceId) => workspaces.get(workspaceId)?.mcp.problems() ?? [],
    async ready(workspace) {
      const missing = (await workspaces.get(workspace.id)?.mcp.ready(options.readyMs ?? readyMs)) ?? []
      if (missing.length === 0) return undefined
      const names = missing.map((name) => `"${name}"`).join(', ')
      return `These MCP servers are still connecting, so you do not have their tools yet: ${names}.`
    },
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
