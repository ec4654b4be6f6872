import { readdirSync, readFileSync, statSync } from 'node:fs'
import path from 'node:path'
import { estimateTokens } from '@troupe/protocol'
import { type AgentDefinition, agentNamePattern, parseAgentFile } from '../agents/agent-definition.ts'
import { readFrontMatter } from '../skills/parse-skill-file.ts'
import { unknownTools } from '../tool/tool-set.ts'
import type { Tool } from '../tool/tool.ts'

export type AgentSource = 'built-in' | 'database' | 'home' | 'project'

export interface AgentEntry extends AgentDefinition {
  source: AgentSource
  path?: string
  prompts?: Readonly<Record<string, string>>
  /** Groups that must have at least one tool. */
  needs?: readonly string[]
  /** Written for another program: missing tools are skipped instead of disabling the agent. */
  foreign?: true
  enabled: boolean
  note?: string
}

export interface LoadedAgents {
  entries: AgentEntry[]
  problems: { path: string; message: string }[]
}

let builtin: AgentEntry[] | undefined

export function getBuiltinAgents(): AgentEntry[] {
  if (builtin === undefined) {
    const loaded = loadAgents(path.join(import.meta.dirname, '../agents'), 'built-in')
    const problem = loaded.problems[0]
    if (problem !== undefined) throw new Error(`${problem.path}: ${problem.message}`)
    builtin = loaded.entries
  }
  return [...builtin]
}

/**
 * Loads the agents of a folder, which may be missing. `<name>.<language>.md` is the prompt of `<name>.md` in that
 * language.
 * `claude`: the files are in the format of Claude Code, which has no languages.
 */
export function loadAgents(folder: string, source: AgentSource, format: 'troupe' | 'claude' = 'troupe'): LoadedAgents {
  const loaded: LoadedAgents = { entries: [], problems: [] }
  const prompts = new Map<string, Record<string, string>>()
  for (const file of markdownFiles(folder)) {
    const full = path.join(folder, file)
    const [name = '', language] = file.slice(0, -'.md'.length).split('.', 2)
    try {
      const text = readFileSync(full, 'utf8')
      if (format === 'claude') {
        const { problem, ...entry } = parseClaudeAgent(text, file.slice(0, -'.md'.length))
        loaded.entries.push({ ...entry, source, path: full, foreign: true, enabled: true })
        if (problem !== undefined) loaded.problems.push({ path: full, message: problem })
      } else if (language !== undefined) prompts.set(name, { ...prompts.get(name), [language]: text.trim() })
      else loaded.entries.push({ ...parseAgentFile(text, name), source, path: full, enabled: true })
    } catch (error) {
      loaded.problems.push({ path: full, message: (error as Error).message })
    }
  }
  for (const entry of loaded.entries) {
    const found = prompts.get(entry.name)
    if (found !== undefined) entry.prompts = found
  }
  return loaded
}

/**
 * Merges several lists. The first agent with a name wins, and later ones are listed as shadowed. An agent that names
 * missing tools, or needs a group without tools, is disabled with a note. `why` explains how to get a group.
 */
export function arrangeAgents(
  lists: readonly (readonly AgentEntry[])[],
  tools: readonly Tool[],
  why: (group: string) => string | undefined = () => undefined,
): AgentEntry[] {
  const taken = new Map<string, AgentEntry>()
  return lists.flat().map((entry) => {
    const first = taken.get(agentKey(entry.name))
    if (first !== undefined)
      return { ...entry, enabled: false, note: `Overridden by the agent of the same name (${first.source}).` }
    taken.set(agentKey(entry.name), entry)
    if (!entry.enabled) return entry
    const missing = unknownTools(entry.needs ?? [], tools)
    if (missing.length > 0)
      return {
        ...entry,
        enabled: false,
        note: [
          `Unavailable: its tools (${missing.join(', ')}) do not exist yet.`,
          ...missing.flatMap((group) => why(group) ?? []),
        ].join(' '),
      }
    const unknown = entry.source === 'built-in' ? [] : unknownTools(entry.tools, tools)
    if (unknown.length > 0 && entry.foreign === true)
      return { ...entry, note: `These tools do not exist and are skipped: ${unknown.join(', ')}.` }
    if (unknown.length > 0) return { ...entry, enabled: false, note: `Unknown tools or groups: ${unknown.join(', ')}.` }
    const note = promptNote(entry.prompt)
    return note === undefined ? entry : { ...entry, note }
  })
}

export function promptNote(prompt: string): string | undefined {
  // A character is at most one token, so short prompts need no estimate. Every turn lists all agents.
  if (prompt.length <= 2000 || estimateTokens(prompt) <= 2000) return undefined
  return `The prompt has about ${estimateTokens(prompt)} tokens, which every model call pays for. Keep it below 2000.`
}

/** Returns the prompt for a language, or the original one. */
export function promptIn(entry: AgentEntry, language: string | undefined): string {
  return (language === undefined ? undefined : entry.prompts?.[language]) ?? entry.prompt
}

function markdownFiles(folder: string): string[] {
  if (statSync(folder, { throwIfNoEntry: false })?.isDirectory() !== true) return []
  return readdirSync(folder)
    .filter((file) => file.endsWith('.md') && !file.startsWith('.') && file !== 'README.md')
    .sort()
}

/** Claude Code tools with other names here. All others keep their name, or are reported as missing. */
const toolNames: Readonly<Record<string, string>> = {
  LS: 'ListDir',
  MultiEdit: 'Edit',
  NotebookRead: 'Read',
  BashOutput: 'TaskOutput',
  KillShell: 'TaskStop',
  KillBash: 'TaskStop',
  Agent: 'Task',
}

/** Claude Code tools that need no equivalent, because every agent has the ability. */
const without = new Set([
  'SlashCommand',
  'ExitPlanMode',
  'EnterPlanMode',
  'ListMcpResourcesTool',
  'ReadMcpResourceTool',
])

/**
 * Parses a Claude Code agent: `name`, `description`, comma-separated `tools` (absent: all), `model`. Its model names
 * belong to one provider, so the agent uses its caller's model, and `problem` reports that. Throws an Error that
 * explains the problem.
 */
export function parseClaudeAgent(text: string, fileName: string): AgentDefinition & { problem?: string } {
  const { data, body } = readFrontMatter(text)
  const name = typeof data['name'] === 'string' && data['name'] !== '' ? data['name'] : fileName
  if (!agentNamePattern.test(name))
    throw new Error(`"${name.slice(0, 80)}" is not a valid agent name. Use up to 64 letters, digits, "-" and "_"`)
  const description = typeof data['description'] === 'string' ? data['description'].trim() : ''
  if (description === '') throw new Error('"description" is missing')
  if (body === '') throw new Error('there is no prompt after the front matter')
  const model = typeof data['model'] === 'string' ? data['model'] : 'inherit'
  return {
    name,
    description: description.replace(/\s+/g, ' ').slice(0, 1024).toWellFormed(),
    prompt: body,
    tools: toolsOf(data['tools']),
    model: model.includes('/') ? model : undefined,
    problem:
      model.includes('/') || model === 'inherit'
        ? undefined
        : `The model "${model.slice(0, 80)}" is a Claude Code name. The agent uses its caller's model instead.`,
  }
}

/** Treats `Bash(git:*)` as Bash. Permission rules decide which commands may run. */
function toolsOf(given: unknown): string[] {
  const listed =
    typeof given === 'string' ? given.split(/,(?![^(]*\))/) : Array.isArray(given) ? given.map(String) : ['*']
  const bare = listed
    .map((name) => name.replace(/\(.*$/s, '').trim())
    .filter((name) => name !== '' && !without.has(name))
  return [...new Set(bare.map((name) => toolNames[name] ?? mcpName(name)))]
}

/** Maps `mcp__server__tool` to `mcp__server_tool`, and `mcp__server` to the group `mcp:server`. */
function mcpName(name: string): string {
  const [, server, tool] = /^mcp__(.+?)(?:__(.+))?$/.exec(name) ?? []
  if (server === undefined) return name
  return tool === undefined || tool === '*' ? `mcp:${server}` : `mcp__${server}_${tool}`
}

const aliases: Readonly<Record<string, string>> = {
  generalpurpose: 'coder',
  general: 'coder',
  worker: 'coder',
  explorer: 'explore',
  planner: 'plan',
  web: 'browser',
  docs: 'document',
  doc: 'document',
  mail: 'email',
  terminal: 'shell',
  command: 'shell',
}

/**
 * Normalizes an agent name: ignores case, separators, and common suffixes. `Document` becomes `document`,
 * `BrowserSubAgent` becomes `browser`.
 */
export function agentKey(name: string): string {
  let key = agentKeys.get(name)
  if (key === undefined) {
    key = normalizeName(name)
    if (agentKeys.size >= maxAgentKeys) agentKeys.clear()
    agentKeys.set(name, key)
  }
  return key
}

const maxAgentKeys = 1000
const agentKeys = new Map<string, string>()

function normalizeName(name: string): string {
  const bare = name.replace(/[^\p{L}\p{N}]/gu, '').toLowerCase()
  const key = bare.replace(/(sub)?agent$/, '') || bare
  return Object.hasOwn(aliases, key) ? (aliases[key] as string) : key
}
