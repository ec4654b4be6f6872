import type { Decision, Effect } from '@troupe/core'
import type { RuleInfo, RuleList } from '@troupe/protocol'

/** Skill from `GET /ai/skills`. */
interface SkillInfo {
  name: string
  description: string
  path: string
  scope: 'home' | 'workspace' | 'project'
  allowedTools?: string[]
  personOnly?: true
  /** Skills of the same name that this one overrides. */
  shadows: string[]
}

export interface SkillList {
  skills: SkillInfo[]
  problems: { path: string; line?: number; message: string }[]
}

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

/** Settings from `GET /ai/config`. */
export interface ConfigInfo {
  /** Null selects the first usable model. */
  model: string | null
  /** Model set by the environment, which takes precedence. */
  environmentModel: string | null
  /** Null enables all tools. */
  useTools: string[] | null
  recovery: 'continue' | 'wait'
  /** Source of session titles: a cheap model after the first answer, or the first words. */
  titles: 'model' | 'words'
  limits: Record<Limit, number | null>
  media: Record<'image' | 'video', string | null>
  /** Agent browser. A null path finds an installed Chromium; a null allowlist permits only the public web. */
  browser: { path: string | null; allow: string[] | null }
  /** Null uses the session's model for search. The key is never sent to the page. */
  search: { provider: string; baseURL: string | null; hasKey: boolean } | null
}

export type Limit = 'steps' | 'tokens' | 'seconds'

/** Omitted settings stay unchanged. Null removes a setting. */
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

/** MCP server from `GET /ai/mcp`. Text that the server itself supplies is untrusted. */
export interface McpInfo {
  name: string
  origin: 'home' | 'project'
  file: string
  /** True if the server is configured in the user's own settings. */
  editable: boolean
  type: 'stdio' | 'http' | 'sse' | null
  command: string | null
  args: string[]
  cwd: string | null
  url: string | null
  /** Names only. Values are never sent. */
  env: string[]
  headers: string[]
  enabled: boolean
  state: 'connecting' | 'ready' | 'failed' | 'needs-trust' | 'disabled'
  error: string | null
  problems: string[]
  /** Time of the next retry, in milliseconds since 1970. */
  retryAt: number | null
  /** Item the user must trust. The fingerprint identifies exactly that item. */
  trust: { what: 'command' | 'tools'; fingerprint: string } | null
  login: 'needed' | 'done' | null
  title: string | null
  instructions: string | null
  tools: McpToolInfo[]
  prompts: { name: string; description: string }[]
  resources: { uri: string; name: string }[]
  /** Estimated tokens that its enabled tools add to every model call. */
  tokens: number
}

export interface McpToolInfo {
  name: string
  /** Name used by models and rules. */
  toolName: string
  title: string
  description: string
  readOnlyHint: boolean
  enabled: boolean
  tokens: number
}

export interface McpList {
  servers: McpInfo[]
  problems: { path: string; message: string }[]
}

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
  /** Null enables all tools. */
  useTools?: string[] | null
}

export interface McpTest {
  ok: boolean
  ms: number
  error: string | null
}

export type { RuleInfo, RuleList } from '@troupe/protocol'

export type PermissionInfo = Omit<RuleList, 'rules' | 'warnings'>
export type SandboxInfo = RuleList['sandbox']

export type RuleScope = 'session' | 'project' | 'always'

export interface NewRule {
  text: string
  effect: Effect
  scope: RuleScope
  sessionId?: string
}

/** Effect a rule would have had on recent calls. */
export interface RuleTest {
  calls: number
  before: Record<Effect, number>
  after: Record<Effect, number>
  changed: number
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

/** Returns the scope that writes a new rule to the same place as this one. */
export function ruleScope({ layer, file }: Pick<RuleInfo, 'layer' | 'file'>): RuleScope {
  if (file === null) return 'session'
  return layer === 'user' ? 'always' : 'project'
}
