import type { FoundCommands, McpServer } from '@troupe/core'
import { type McpInfo, type McpPromptArgument, NamedError } from '@troupe/protocol'

/** An MCP server's prompt as a command: `/mcp:<server>:<prompt>`. */
export interface PromptCommand {
  name: string
  description: string
  /** `mcp://<server>/<prompt>`, with the server's own names. */
  path: string
  scope: 'mcp'
  argumentHint?: string
  shadows: string[]
  prompt: { server: string; name: string; arguments: McpPromptArgument[] }
}

type Prompts = Pick<McpServer, 'name' | 'state' | 'prompts'>

/** Returns the prompts of usable servers. On a name clash, the first wins. */
export function promptCommands(servers: readonly Prompts[]): {
  commands: PromptCommand[]
  problems: FoundCommands['problems']
} {
  const byName = new Map<string, PromptCommand>()
  const problems: FoundCommands['problems'] = []
  for (const server of servers.filter(({ state }) => state === 'ready')) {
    for (const prompt of server.prompts) {
      const path = `mcp://${server.name}/${prompt.name.slice(0, 200)}`.toWellFormed()
      const name = `mcp:${segment(server.name)}:${segment(prompt.name)}`
      const other = byName.get(name)
      if (segment(prompt.name) === '') problems.push({ path, message: 'its name has no letters or digits' })
      else if (other !== undefined) problems.push({ path, message: `/${name} is already used by ${other.path}` })
      else byName.set(name, { name, path, ...toCommand(server.name, prompt) })
    }
  }
  return { commands: [...byName.values()], problems }
}

export function checkServer(servers: readonly Pick<McpInfo, 'name' | 'state' | 'error'>[], command: string): void {
  const meant = servers.find(({ name }) => command.startsWith(`mcp:${segment(name)}:`))
  if (meant === undefined || meant.state === 'ready') return
  const why = meant.error ?? (meant.state === 'disabled' ? 'You turned it off.' : `Its status is ${meant.state}.`)
  const text = `/${command} was not sent: the MCP server "${meant.name}" is not available. ${why}`
  throw new NamedError('McpNotRunning', text, { status: 409, data: { server: meant.name } })
}

/** Keeps letters, digits, `-` and `_`, as in command names. */
function segment(name: string): string {
  return name
    .toLowerCase()
    .replace(/[^\p{L}\p{N}_-]+/gu, '_')
    .replace(/^[_-]+/, '')
    .slice(0, 64)
}

function toCommand(server: string, prompt: McpServer['prompts'][number]): Omit<PromptCommand, 'name' | 'path'> {
  const taken = (prompt.arguments ?? []).slice(0, 50).map(({ name, description = '', required }) => ({
    name,
    description: oneLine(description),
    required: required === true,
  }))
  const hint = taken.map(({ name, required }) => (required ? `<${name}>` : `[${name}]`)).join(' ')
  return {
    description: oneLine(prompt.description ?? prompt.title ?? `A prompt from the MCP server ${server}`),
    scope: 'mcp',
    shadows: [],
    argumentHint: hint === '' ? undefined : oneLine(hint),
    prompt: { server, name: prompt.name, arguments: taken },
  }
}

function oneLine(text: string): string {
  return text.replace(/\s+/g, ' ').trim().slice(0, 200).toWellFormed()
}

/**
 * Parses the text after a command into prompt arguments: `who=Ada`, or values in argument order. Quotes group words,
 * and the last argument takes the rest. Throws `CommandArguments` (422) with the correct usage.
 */
export function promptArguments(command: PromptCommand, rest: string): Record<string, string> {
  const { name, prompt, argumentHint = '' } = command
  const given = new Map<string, string>()
  const plain: { from: number; value: string }[] = []
  let namedTo = 0
  for (const match of rest.matchAll(/(?:([^\s="']+)=)?(?:"([^"]*)"|'([^']*)'|(\S+))/g)) {
    const [whole, key, double, single, word = ''] = match
    const value = double ?? single ?? word
    if (key === undefined || !prompt.arguments.some((argument) => argument.name === key)) {
      plain.push({ from: match.index, value: key === undefined ? value : whole })
      continue
    }
    if (given.has(key)) throw refusal(`"${key}" is given twice`)
    given.set(key, value)
    namedTo = match.index
  }
  const open = prompt.arguments.filter((argument) => !given.has(argument.name))
  for (const [index, argument] of open.entries()) {
    const words = index === open.length - 1 ? plain.slice(index) : plain.slice(index, index + 1)
    const [first] = words
    if (first === undefined) break
    const isAsWritten = words.length > 1 && first.from > namedTo
    given.set(argument.name, isAsWritten ? rest.slice(first.from) : words.map(({ value }) => value).join(' '))
  }
  if (open.length === 0 && prompt.arguments.length > 0 && plain[0] !== undefined)
    throw refusal(`unexpected argument "${plain[0].value.slice(0, 100)}"`)
  const missing = open.filter((argument) => argument.required && !given.has(argument.name))
  if (missing.length > 0) throw refusal(`missing ${missing.map(namedArguments).join(', ')}`)
  return Object.fromEntries(given)

  function refusal(what: string): NamedError {
    const form = `/${name} ${argumentHint}`.trim()
    const text = `/${name} was not sent: ${what}. Write ${form}, or name=value for each argument.`
    return new NamedError('CommandArguments', text, { status: 422, data: { command: name } })
  }
}

function namedArguments({ name, description }: McpPromptArgument): string {
  return description === '' ? `"${name}"` : `"${name}" (${description})`
}
