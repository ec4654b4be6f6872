import type { Answered, CallOf, RuleInfo, RuleList } from '@troupe/protocol'

export type { RuleInfo, RuleList } from '@troupe/protocol'

export type SkillList = Answered<'GET /ai/skills'>
export type StagedSkills = Answered<'POST /ai/skills/imports'>['import']
export type HookList = Answered<'GET /ai/hooks'>

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

export type McpList = Answered<'GET /ai/mcp'>
/** MCP server. Text that the server itself supplies is untrusted. */
export type McpInfo = McpList['servers'][number]
export type McpToolInfo = McpInfo['tools'][number]
export type NewMcpServer = CallOf<'POST /ai/mcp'>['body']
export type McpEntry = Omit<NewMcpServer, 'name'>
export type McpPatch = CallOf<'PATCH /ai/mcp/:name'>['body']
export type McpTest = Answered<'POST /ai/mcp/:name/test'>['test']

export type PermissionInfo = Omit<RuleList, 'rules' | 'warnings'>
export type SandboxInfo = RuleList['sandbox']
export type RuleScope = 'session' | 'project' | 'always'
export type NewRule = CallOf<'POST /ai/rules'>['body']
/** Effect a rule would have had on recent calls. */
export type RuleTest = Answered<'POST /ai/rules/test'>
export type RuleChange = RuleTest['changes'][number]

/** Returns the scope that writes a new rule to the same place as this one. */
export function ruleScope({ layer, file }: Pick<RuleInfo, 'layer' | 'file'>): RuleScope {
  if (file === null) return 'session'
  return layer === 'user' ? 'always' : 'project'
}
