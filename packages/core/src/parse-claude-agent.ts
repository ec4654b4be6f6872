import type { AgentDefinition } from './agent-definition.ts'
import { agentNamePattern } from './parse-agent-file.ts'
import { readFrontMatter } from './skills/parse-skill-file.ts'

/** Tools of Claude Code that have other names here; the rest are called the same, or are named as not there. */
const toolNames: Readonly<Record<string, string>> = {
  LS: 'ListDir',
  MultiEdit: 'Edit',
  NotebookRead: 'Read',
  BashOutput: 'TaskOutput',
  KillShell: 'TaskStop',
  KillBash: 'TaskStop',
  Agent: 'Task',
}

/** What every agent can do without a tool of its own for it. */
const without = new Set([
  'SlashCommand',
  'ExitPlanMode',
  'EnterPlanMode',
  'ListMcpResourcesTool',
  'ReadMcpResourceTool',
])

/**
 * An agent as Claude Code has it: `name`, `description`, `tools` with commas between them (absent: all), `model`. Its
 * names of models are of one provider, so the agent has its caller's, and `problem` says so where one is named. Throws an
 * Error that says what is wrong.
 */
export function parseClaudeAgent(text: string, fileName: string): AgentDefinition & { problem?: string } {
  const { data, body } = readFrontMatter(text)
  const name = typeof data['name'] === 'string' && data['name'] !== '' ? data['name'] : fileName
  if (!agentNamePattern.test(name))
    throw new Error(`"${name.slice(0, 80)}" is not an agent's name: letters, digits, "-" and "_", at most 64`)
  const description = typeof data['description'] === 'string' ? data['description'].trim() : ''
  if (description === '') throw new Error('"description" is missing')
  if (body === '') throw new Error('there is no prompt below the front matter')
  const model = typeof data['model'] === 'string' ? data['model'] : 'inherit'
  return {
    name,
    description: description.replace(/\s+/g, ' ').slice(0, 1024).toWellFormed(),
    prompt: body,
    tools: toolsOf(data['tools']),
    ...(model.includes('/') && { model }),
    ...(!model.includes('/') &&
      model !== 'inherit' && {
        problem: `The model "${model.slice(0, 80)}" is a name of Claude Code: it uses its caller's.`,
      }),
  }
}

/** `Bash(git:*)` is Bash: what of it may run is for the rules to say. */
function toolsOf(given: unknown): string[] {
  const listed =
    typeof given === 'string' ? given.split(/,(?![^(]*\))/) : Array.isArray(given) ? given.map(String) : ['*']
  const bare = listed
    .map((name) => name.replace(/\(.*$/s, '').trim())
    .filter((name) => name !== '' && !without.has(name))
  return [...new Set(bare.map((name) => toolNames[name] ?? mcpName(name)))]
}

/** `mcp__server__tool` there is `mcp__server_tool` here, and `mcp__server` is the group `mcp:server`. */
function mcpName(name: string): string {
  const [, server, tool] = /^mcp__(.+?)(?:__(.+))?$/.exec(name) ?? []
  if (server === undefined) return name
  return tool === undefined || tool === '*' ? `mcp:${server}` : `mcp__${server}_${tool}`
}
