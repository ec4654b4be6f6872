import type { Route } from '../http/route.ts'
import { readFileSync } from 'node:fs'
import type { LanguageModelV4 } from '@ai-sdk/provider'
import type { SandboxFinding, Store, Workspace } from '@troupe/core'
import type { ConfigFile } from '../config/config.ts'
import type { Home } from '../config/home.ts'
import type { App } from '../http/app.ts'
import type { Mcp } from '../mcp/open-mcp.ts'
import type { Models } from '../models/models.ts'
import type { RunManager } from '../runs/run-manager.ts'
import type { LogLevel } from '../util/logger.ts'

export interface ServerOptions {
  /** Default: `$TROUPE_HOME`, else `~/.troupe`. */
  home?: string
  /** The folder to work in. Default: the current one. */
  workspace?: string
  env?: NodeJS.ProcessEnv
  /** 0 picks a free one. Default: `$TROUPE_PORT`, else 4880. */
  port?: number
  /** Loopback only: there are no user accounts. */
  host?: string
  /** False: no port is opened, `fetch` is the only door. */
  listen?: boolean
  /** Look for model servers on this machine. Default: true. */
  probe?: boolean
  logLevel?: LogLevel
  log?: (text: string) => void
  /** Where the built page lies. */
  webFolder?: string
  /** Sees what each request handler returns, so that tests can compare it with its schema. */
  onAnswer?: (route: Route, value: unknown) => void
  /** Models of an embedding program, by `provider/model`; the first is the default where none is configured. */
  models?: Record<string, LanguageModelV4>
  /** Lets sessions be in the mode bypass, in which nothing asks. Default: false. */
  allowBypass?: boolean
  /** What confines commands here. Default: it is looked for. */
  sandbox?: SandboxFinding
  /** For tests: where the rules of the machine stand. */
  managedConfig?: string
  /** For tests: how long what commands need stays ready for the next one. */
  idleMs?: number
  /** For tests: how long a provider may be silent. */
  stallMs?: number
  /** Whether a model titles sessions; by default config.json says. */
  titles?: boolean
  /** For tests: how long a first model call waits for MCP servers. */
  mcpReadyMs?: number
}

export interface Server {
  /** With a one-time key: what a person opens. */
  url: string
  port: number
  token: string
  /** Another address with a fresh key. */
  newUrl(): string
  /** The same requests without a port; `Host` and the token are filled in. */
  fetch(path: string, init?: RequestInit): Promise<Response>
  /** Every request as it comes, for programs that serve it themselves. */
  app: App
  home: Home
  config: ConfigFile
  models: Models
  store: Store
  live: RunManager
  workspace: Workspace
  mcp: Mcp
  /** What confines commands here, or why nothing does. */
  sandbox: SandboxFinding
  /** What is wrong with the rules, in sentences. */
  ruleWarnings: string[]
  problems: { path: string; message: string }[]
  close(): Promise<void>
}

export const version: string = (
  JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')) as { version: string }
).version
