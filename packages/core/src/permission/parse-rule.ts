import { parseCommandPattern } from '@troupe/command-policy'
import { aliasKey } from '../tool/tool-aliases.ts'
import { type Tool, toolKey } from '../tool/tool.ts'
import { checkPathPattern, parseHostPattern } from './rule-patterns.ts'

/** Parsed rule: `Bash(npm run *)` has the tool `Bash` and the pattern `npm run *`. */
export interface Rule {
  text: string
  tool: string
  /** Normalized key shared by all names of the tool. */
  key: string
  /** Absent: every call of the tool. */
  pattern?: string
  /** Set if the rule covers a whole MCP server. */
  server?: string
}

const maxRuleCharacters = 2000

/** Throws an Error that tells the person what is wrong with the rule. */
export function parseRule(given: string): Rule {
  const text = given.trim()
  if (text === '')
    throw new Error(
      'The rule is empty. Write a tool, such as "Bash", or a tool and a pattern, such as "Bash(npm test)".',
    )
  if (text.length > maxRuleCharacters) throw new Error(`The rule is longer than ${maxRuleCharacters} characters.`)
  // oxlint-disable-next-line no-control-regex
  if (/[\u0000-\u001f\u007f\u2028\u2029\p{Bidi_Control}]/u.test(text))
    throw new Error('The rule contains a control character. Write it on one line, with visible characters.')
  const open = text.indexOf('(')
  const tool = open === -1 ? text : text.slice(0, open)
  checkName(tool, text)
  if (open === -1) return mcpRule({ text, tool, key: aliasKey(tool) })
  if (!text.endsWith(')')) throw new Error(`The rule "${text}" does not end with ")".`)
  const pattern = text.slice(open + 1, -1).trim()
  if (pattern === '') throw new Error(`The parentheses of "${text}" are empty. Write "${tool}" to match every call.`)
  const rule: Rule = { text: `${tool}(${pattern})`, tool, key: aliasKey(tool) }
  if (matchesEverything(pattern)) return rule
  checkPattern(rule.key, pattern, text)
  return { ...rule, pattern }
}

/** Warns about a valid but doubtful rule. An unknown tool is not an error, since it may be added later. */
export function ruleWarning(text: string, tools: readonly Tool[]): string | undefined {
  const { tool, key, server, pattern } = parseRule(text)
  if (server !== undefined || toolKey(tool).startsWith('mcp') || accessKinds.has(key)) return undefined
  const known = tools.find((one) => toolKey(one.name) === key || toolKey(one.name) === toolKey(tool))
  if (known === undefined) return `There is no tool "${tool}". The rule applies once there is one.`
  if (pattern !== undefined && known.touches === undefined)
    return `${known.name} does not declare what it accesses, so the pattern never matches. Write "${known.name}" to match every call.`
  return undefined
}

/** Tools whose rules apply to every access of a kind, by any tool. */
export const accessKinds = new Map([
  ['read', 'read'],
  ['edit', 'write'],
  ['bash', 'command'],
  ['webfetch', 'url'],
  ['task', 'agent'],
  ['skill', 'skill'],
  ['outside', 'outside'],
] as const satisfies [string, string][]) as ReadonlyMap<
  string,
  'read' | 'write' | 'command' | 'url' | 'agent' | 'skill' | 'outside'
>

function checkName(tool: string, text: string): void {
  if (/^[A-Za-z][A-Za-z0-9_.-]*(?:__\*|_\*)?$/.test(tool)) return
  if (tool === '')
    throw new Error(`The rule "${text}" has no tool. Write the tool before the parenthesis, such as "Bash${text}".`)
  if (tool.trim() !== tool) throw new Error(`Remove the space before "(": "${tool.trim()}${text.slice(tool.length)}".`)
  if (tool.includes(')')) throw new Error(`The rule "${text}" has a ")" without a "(".`)
  if (tool.startsWith('!')) throw new Error('A rule cannot be negated with "!". Add it to deny or allow instead.')
  throw new Error(
    `"${tool}" is not a tool name. A rule is a tool, such as "Bash", or a tool and a pattern, such as "Bash(npm test)".`,
  )
}

function checkPattern(key: string, pattern: string, text: string): void {
  const kind = accessKinds.get(key)
  try {
    if (kind === 'command' || kind === 'outside') parseCommandPattern(pattern)
    else if (kind === 'url') parseHostPattern(pattern)
    else if (kind === 'read' || kind === 'write') checkPathPattern(pattern)
  } catch (error) {
    throw new Error(`The rule "${text}" is invalid: ${(error as Error).message}`, { cause: error })
  }
}

/**
 * `mcp__files` and `mcp__files__*` cover the whole server. `mcp__files_read` covers a tool, or a server of that name.
 */
function mcpRule(rule: Rule): Rule {
  const server = /^mcp__(.+?)(?:__?\*)?$/i.exec(rule.tool)?.[1]
  if (server === undefined) return rule
  const key = mcpKey(rule.tool)
  return server.includes('__') ? { ...rule, key } : { ...rule, key, server: mcpKey(server) }
}

/** Ignores which separators are used, but keeps the server and tool parts apart. */
export function mcpKey(name: string): string {
  return name.toLowerCase().replace(/[_.-]+/g, '_')
}

function matchesEverything(pattern: string): boolean {
  return pattern === '*' || pattern === '**' || pattern === ':*'
}
