import type { Answered, CallOf, RuleInfo, RuleList } from '@troupe/protocol'

export type { RuleInfo, RuleList } from '@troupe/protocol'

export type SkillInfo = Answered<'GET /ai/skills'>['skills'][number]
export type StagedSkills = Answered<'POST /ai/skills/imports'>['import']
export type Finding = Answered<'GET /ai/doctor'>['findings'][number]

export type ConfigInfo = Answered<'GET /ai/config'>['config']
export type Limit = keyof ConfigInfo['limits']
/** Omitted settings stay unchanged. Null removes a setting. */
export type ConfigPatch = CallOf<'PATCH /ai/config'>['body']

export type UsageDays = '7' | '30' | '90'

export type McpList = Answered<'GET /ai/mcp'>
/** MCP server. Text that the server itself supplies is untrusted. */
export type McpInfo = McpList['servers'][number]
export type McpToolInfo = McpInfo['tools'][number]
export type NewMcpServer = CallOf<'POST /ai/mcp'>['body']
export type McpEntry = Omit<NewMcpServer, 'name'>
export type McpPatch = CallOf<'PATCH /ai/mcp/:name'>['body']

export type PermissionInfo = Omit<RuleList, 'rules' | 'warnings'>
export type SandboxInfo = RuleList['sandbox']
export type RuleScope = 'session' | 'project' | 'always'
export type NewRule = CallOf<'POST /ai/rules'>['body']
/** Effect a rule would have had on recent calls. */
export type RuleTest = Answered<'POST /ai/rules/test'>
export type Decision = Answered<'POST /ai/rules/explain'>['decisions'][number]
export type RuleChange = RuleTest['changes'][number]

/** Returns the scope that writes a new rule to the same place as this one. */
export function ruleScope({ layer, file }: Pick<RuleInfo, 'layer' | 'file'>): RuleScope {
  if (file === null) return 'session'
  return layer === 'user' ? 'always' : 'project'
}
