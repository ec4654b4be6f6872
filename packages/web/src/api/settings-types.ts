import type { Decision, Effect } from '@troupe/core'
import type { RuleInfo, RuleList } from '@troupe/protocol'

/** A skill as `GET /ai/skills` lists it. */
interface SkillInfo {
  name: string
  description: string
  /** Its `SKILL.md`. */
  path: string
  scope: 'home' | 'workspace' | 'project'
  allowedTools?: string[]
  personOnly?: true
  /** Those of its name that it stands before. */
  shadows: string[]
}

export interface SkillList {
  skills: SkillInfo[]
  problems: { path: string; line?: number; message: string }[]
}

/** Skills that were unpacked to be looked at. */
export interface StagedSkills {
  id: string
  skills: {
    name: string
    description: string
    allowedTools?: string[]
    files: { name: string; size: number; executable: boolean }[]
  }[]
  problems: { path: string; message: string }[]
}

interface HookInfo {
  event: 'before-call' | 'after-call' | 'ask' | 'run-end'
  source: string
  scope: 'home' | 'project'
  match?: string[]
  command?: string
  timeoutMs: number
}

export interface HookList {
  hooks: HookInfo[]
  problems: { path: string; message: string }[]
}

export interface DataInfo {
  home: string
  places: {
    name: 'database' | 'sessions' | 'blobs' | 'backups' | 'other'
    path: string
    files: number
    bytes: number
  }[]
  backups: { path: string; createdAt: number }[]
  free: number
}

export interface Finding {
  status: 'ok' | 'info' | 'warn' | 'fail'
  name: string
  text: string
  fix?: string
}

/** The settings as `GET /ai/config` tells them. */
export interface ConfigInfo {
  /** Null: the first that can be used. */
  model: string | null
  /** The model that the environment names; it goes before. */
  environmentModel: string | null
  /** Null: all. */
  useTools: string[] | null
  recovery: 'continue' | 'wait'
  /** Who titles sessions: a cheap model after the first answer, or their first words. */
  titles: 'model' | 'words'
  limits: Record<Limit, number | null>
  media: Record<'image' | 'video', string | null>
  /** The browser of agents: null where a Chromium of this machine is looked for, and only the public web is reached. */
  browser: { path: string | null; allow: string[] | null }
  /** Null: the model of the session searches. Its key never comes here. */
  search: { provider: string; baseURL: string | null; hasKey: boolean } | null
}

export type Limit = 'steps' | 'tokens' | 'seconds'

/** What is not named stays as it is; null takes a setting away. */
export interface ConfigPatch {
  model?: string | null
  useTools?: string[] | null
  recovery?: ConfigInfo['recovery']
  titles?: ConfigInfo['titles']
  limits?: Record<Limit, number | null>
  media?: Partial<ConfigInfo['media']>
  browser?: ConfigInfo['browser']
  search?: { provider: string; baseURL: string | null; apiKey?: string } | null
}

/** An MCP server as `GET /ai/mcp` lists it. Texts of the server itself are anybody's. */
export interface McpInfo {
  name: string
  origin: 'home' | 'project'
  /** Where it is written down. */
  file: string
  /** It stands in the person's own settings. */
  editable: boolean
  type: 'stdio' | 'http' | 'sse' | null
  command: string | null
  args: string[]
  cwd: string | null
  url: string | null
  /** Names only: values never come out. */
  env: string[]
  headers: string[]
  enabled: boolean
  state: 'connecting' | 'ready' | 'failed' | 'needs-trust' | 'disabled'
  error: string | null
  problems: string[]
  /** When it is tried again, in milliseconds since 1970. */
  retryAt: number | null
  /** What the person is asked to trust; the fingerprint stands for exactly that. */
  trust: { what: 'command' | 'tools'; fingerprint: string } | null
  login: 'needed' | 'done' | null
  title: string | null
  instructions: string | null
  tools: McpToolInfo[]
  prompts: { name: string; description: string }[]
  resources: { uri: string; name: string }[]
  /** What its tools in use cost in every model call, estimated. */
  tokens: number
}

export interface McpToolInfo {
  name: string
  /** As models and rules know it. */
  toolName: string
  title: string
  description: string
  readOnlyHint: boolean
  enabled: boolean
  tokens: number
}

export interface McpList {
  servers: McpInfo[]
  /** What is wrong with the files, in sentences. */
  problems: { path: string; message: string }[]
}

/** How a server is reached: a program, or an address. */
export interface McpEntry {
  type?: string
  command?: string
  args?: string[]
  env?: Record<string, string>
  cwd?: string
  url?: string
  headers?: Record<string, string>
  timeout?: number
}

export interface McpPatch {
  enabled?: boolean
  /** Null: all that there are. */
  useTools?: string[] | null
}

export interface McpTest {
  ok: boolean
  ms: number
  error: string | null
}

export type { RuleInfo, RuleList } from '@troupe/protocol'

/** What decides besides rules, and what the page must say about it. */
export type PermissionInfo = Omit<RuleList, 'rules' | 'warnings'>
export type SandboxInfo = RuleList['sandbox']

export type RuleScope = 'session' | 'project' | 'always'

export interface NewRule {
  text: string
  effect: Effect
  scope: RuleScope
  sessionId?: string
}

/** What a rule would have changed for the last calls. */
export interface RuleTest {
  calls: number
  before: Record<Effect, number>
  after: Record<Effect, number>
  changed: number
  /** The first of them. */
  changes: RuleChange[]
  warnings: string[]
}

export interface RuleChange {
  sessionId: string
  toolCallId: string
  toolName: string
  input: unknown
  createdAt: number
  before: RuleDecision
  after: RuleDecision
}

type RuleDecision = Pick<Decision, 'decision' | 'reason' | 'rule'>

/** Where a rule has to be written to stand where this one stands. */
export function ruleScope({ layer, file }: Pick<RuleInfo, 'layer' | 'file'>): RuleScope {
  if (file === null) return 'session'
  return layer === 'user' ? 'always' : 'project'
}
