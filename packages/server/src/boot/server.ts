import type { Route } from '../http/route.ts'
import { readFileSync } from 'node:fs'
import type { LanguageModelV4 } from '@ai-sdk/provider'
import type { SandboxFinding, Store, Workspace } from '@troupe/core'
import type { ConfigFile } from '../config/config.ts'
import type { Home } from '../config/home.ts'
import type { App } from '../http/app.ts'
import type { TeamIsolation } from '../isolation/open-isolation.ts'
import type { Mcp } from '../mcp/open-mcp.ts'
import type { Models } from '../models/models.ts'
import type { RunManager } from '../runs/run-types.ts'
import type { OpenEngine } from '../cluster/engine.ts'
import type { BucketSettings } from '../util/bucket.ts'
import type { TeamOptions } from '../team/options.ts'
import type { LogLevel } from '../util/logger.ts'
import type { FileGuard } from '../workspaces/file-guard.ts'
import type { FolderLanesOptions } from '../workspaces/folder-states.ts'

export interface ServerOptions {
  /** Default: `$TROUPE_HOME`, else `~/.troupe`. */
  home?: string
  /** Workspace folder. Default: the current directory. */
  workspace?: string
  env?: NodeJS.ProcessEnv
  /** 0 picks a free port. Default: `$TROUPE_PORT`, else 4880. */
  port?: number
  /** Must be loopback, except in team mode. */
  host?: string
  /** Accounts, roles and sharing. Default: one user, no accounts. */
  team?: TeamOptions
  /** If false, opens no port. Requests go through `fetch` only. */
  listen?: boolean
  /** Look for model servers on this machine. Default: true. */
  probe?: boolean
  logLevel?: LogLevel
  log?: (text: string) => void
  /** Folder of the built web page. */
  webFolder?: string
  /** Sees what each request handler returns, so that tests can compare it with its schema. */
  onAnswer?: (route: Route, value: unknown) => void
  /** For tests of team mode: sees every request that its caller may make, before its handler. */
  onAllowed?: (route: Route) => void
  /** Models of an embedding program, by `provider/model`. The first is the default if none is configured. */
  models?: Record<string, LanguageModelV4>
  /** Allows sessions to use bypass mode, which skips all approvals. Default: false. */
  allowBypass?: boolean
  /** In team mode: separates the members on this machine. */
  isolation?: TeamIsolation | undefined
  /** Sandbox for commands. Default: detected. */
  sandbox?: SandboxFinding
  /** For tests: path of the machine-wide rules. */
  managedConfig?: string
  /** For tests: file calls on folders, which may hang, and the time they may take. */
  folderLanes?: FolderLanesOptions
  fileGuard?: FileGuard
  /** For tests: time to keep command resources warm. */
  idleMs?: number
  /** For tests: time without data before a provider counts as stalled. */
  stallMs?: number
  /** Lets a model title sessions. Default: the setting in config.json. */
  titles?: boolean
  /** For tests: time a first model call waits for MCP servers. */
  mcpReadyMs?: number
  /** Makes this process one of several nodes that share a database. */
  cluster?: ClusterSettings
}

export interface ClusterSettings {
  /** `postgres://…` */
  databaseUrl: string
  /** Directly to the server, if `databaseUrl` leads to a pooler. */
  listenUrl?: string
  /** Known to all nodes. Signs the requests that they pass on. */
  secret: string
  /** Address of this node for other nodes. Default: its own address. */
  url?: string
  /** Names the disk that this node works on. Nodes with the same name see the same folders. Default: `main`. */
  place?: string
  labels?: readonly string[]
  /** Files of chats, such as undo data and long output, on the disk of the place. Default: the home. */
  folder?: string
  /** S3-compatible storage for attachments and media. Default: the database. */
  bucket?: BucketSettings
  /** Time for runs to reach a safe point when this node stops. Default: 60 seconds. */
  drainMs?: number
  /** A run that waits for a person for this long leaves the memory of its node. Default: it stays. */
  parkMs?: number
  /** The queue of turns. Default: pg-boss. */
  openEngine?: OpenEngine
  /** For tests: how long a node may be silent, and how often it reports. */
  leaseMs?: number
  beatMs?: number
}

export interface Server {
  /** Address with a one-time key, for the user to open. */
  url: string
  port: number
  token: string
  /** Returns an address with a fresh key. */
  newUrl(): string
  /** Sends a request without a port. Fills in `Host` and the token. */
  fetch(path: string, init?: RequestInit): Promise<Response>
  /** Handles raw requests, for programs that serve it themselves. */
  app: App
  home: Home
  config: ConfigFile
  models: Models
  store: Store
  runs: RunManager
  workspace: Workspace
  mcp: Mcp
  /** The sandbox for commands, or the reason there is none. */
  sandbox: SandboxFinding
  /** Problems with the rules, as sentences. */
  ruleWarnings: string[]
  problems: { path: string; message: string }[]
  close(): Promise<void>
}

export const version: string = (
  JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')) as { version: string }
).version
