import { randomUUID } from 'node:crypto'
import path from 'node:path'
import type { OAuthClientProvider } from '@modelcontextprotocol/client'
import { childEnvironment } from '../shell/child-environment.ts'
import { createHttpTransport } from './http-transport.ts'
import { mcpLimits, type McpLimits } from './mcp-limits.ts'
import type { McpServerConfig } from './server-config.ts'
import { createStdioTransport, type ServerTransport, type StdioOptions } from './stdio-transport.ts'

export interface TransportOptions {
  /** Where a process starts, and where a relative `cwd` of its begins. */
  folder: string
  /** The environment that the clean one is made from. */
  env?: NodeJS.ProcessEnv
  limits?: Partial<McpLimits>
  onText(text: string): void
  warden?: StdioOptions['warden']
  /** What processes are known by, before a dot. */
  mark?: string
  authProvider?: OAuthClientProvider
}

/** The way to a server. A process sees a clean environment and what its entry gives it, nothing else of ours. */
export function createTransport(config: McpServerConfig, options: TransportOptions): Promise<ServerTransport> {
  const { folder, env, onText, warden, authProvider, mark = 'mcp' } = options
  const limits = { ...mcpLimits, ...options.limits }
  if (config.type !== 'stdio')
    return createHttpTransport({ ...config, limits, ...(authProvider !== undefined && { authProvider }) })
  const { command, args, cwd = '.' } = config
  return Promise.resolve(
    createStdioTransport({
      command,
      args,
      cwd: path.resolve(folder, cwd),
      env: { ...childEnvironment(env), ...config.env, TROUPE_TASK: `${mark}.${randomUUID()}` },
      limits,
      onText,
      ...(warden !== undefined && { warden }),
    }),
  )
}
