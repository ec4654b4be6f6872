import {
  agentKey,
  expandCommand,
  NamedError,
  parseCommand,
  readCommandBody,
  type Chunk,
  type DataParts,
  type FoundSkills,
  type Part,
  type PromptPicture,
  type Session,
  type StoredMessage,
  type Workspace,
} from '@troupe/core'
import { loadMentionedSkills } from '../skills/bring-skills.ts'
import { attachMentions, type MentionSources } from './bring-mentions.ts'
import { builtInNames, findBuiltIn } from './built-ins.ts'
import type { UsableCommands } from './command.ts'
import { promptArguments, type PromptCommand } from './prompt-commands.ts'

/** A message that is about to be stored. */
export interface MessageToExpand {
  /** As the person wrote it. */
  parts: readonly Part[]
  workspaceId: string
  session: Session | undefined
  /** Reads what it will stand below; most messages need nothing of it. */
  chain: () => Promise<readonly StoredMessage[]>
}

export interface ExpandedMessage {
  /** What was brought in by its commands, skills and mentions, and then what was written. */
  parts: Part[]
  /** Words to the person, which open the answer. */
  hints: Chunk[]
}

export type ExpandMessage = (message: MessageToExpand) => Promise<ExpandedMessage>

export function createMessageExpander(options: {
  workspace(id: string): Promise<Workspace>
  skills(workspace: Workspace, session: Session | undefined): Promise<FoundSkills>
  ownCommands(workspace: Workspace): UsableCommands
  /** Waits for MCP servers that are still connecting. */
  prompts: {
    ready(workspace: Workspace): Promise<unknown>
    /** Throws `McpNotRunning` (409) where the server that a command names is there and cannot be used. */
    check(workspace: Workspace, command: string): void
    /** What a prompt says. Throws a NamedError that says what went wrong. */
    read(
      workspace: Workspace,
      prompt: PromptCommand['prompt'],
      given: Record<string, string>,
    ): Promise<{ text: string; pictures: PromptPicture[] }>
  }
  mentions(workspace: Workspace, session: Session | undefined): Promise<MentionSources>
  /** Throw what is wrong with the agent or the model that a command names. */
  checkAgent(workspace: Workspace, name: string): Promise<unknown>
  checkModel(id: string): Promise<unknown>
}): ExpandMessage {
  return async ({ parts, workspaceId, session, chain }) => {
    const written = parts.flatMap((part) => (part.type === 'text' ? [part.text] : []))
    if (!written.some((text) => /[/@]/.test(text)) || findBuiltIn(parts) !== undefined)
      return { parts: [...parts], hints: [] }
    const workspace = await options.workspace(workspaceId)
    const { command, hints } = await ownCommand(written[0] ?? '', workspace)
    // What a server wrote brings in nothing: it is not the person who names things there.
    const text = [command === undefined || command.scope === 'mcp' ? '' : command.content, ...written].join('\n')
    const skills = text.toLowerCase().includes('/skill/')
      ? loadMentionedSkills(text, (await options.skills(workspace, session)).skills, await chain())
      : { parts: [], hints: [] }
    const mentions = text.includes('@') ? await attachMentions(text, await options.mentions(workspace, session)) : []
    const own: Part[] = command === undefined ? [] : [{ type: 'data-command', data: command }]
    return {
      parts: [...skills.parts, ...mentions, ...own, ...parts],
      hints: [...hints, ...skills.hints].map((hint) => ({ type: 'data-hint', data: { text: hint } })),
    }
  }

  async function ownCommand(
    text: string,
    workspace: Workspace,
  ): Promise<{ command?: DataParts['command']; hints: string[] }> {
    const parsed = parseCommand(text)
    if (parsed === undefined) return { hints: [] }
    let { commands } = options.ownCommands(workspace)
    const isNamed = ({ name }: { name: string }): boolean => name === parsed.name
    if (parsed.name.startsWith('mcp:') && !commands.some(isNamed)) {
      await options.prompts.ready(workspace)
      commands = options.ownCommands(workspace).commands
    }
    const command = commands.find(isNamed)
    if (command === undefined) options.prompts.check(workspace, parsed.name)
    if (command === undefined) return { hints: [unknownText(parsed.name, commands)] }
    if ('prompt' in command) return { command: await promptCommand(command, parsed.rest, workspace), hints: [] }
    const { name, path, scope, agent, model, allowedTools } = command
    if (agent !== undefined) await options.checkAgent(workspace, agent)
    if (model !== undefined) await options.checkModel(model)
    const data: DataParts['command'] = {
      name,
      path,
      scope,
      content: expandCommand(commandBody(command), parsed.rest),
      ...(agent !== undefined && { agent }),
      ...(model !== undefined && { model }),
      ...(allowedTools !== undefined && { allowedTools: [...allowedTools] }),
    }
    return { command: data, hints: [] }
  }

  async function promptCommand(
    command: PromptCommand,
    rest: string,
    workspace: Workspace,
  ): Promise<DataParts['command']> {
    const { name, path, scope, prompt } = command
    const { text, pictures } = await options.prompts.read(workspace, prompt, promptArguments(command, rest))
    const content = prompt.arguments.length > 0 || rest === '' ? text : `${text}\n\n${rest}`
    return { name, path, scope, content, ...(pictures.length > 0 && { pictures }) }
  }
}

function commandBody(command: { name: string; path: string }): string {
  try {
    return readCommandBody(command)
  } catch (error) {
    const text = `The command /${command.name} cannot be read: ${(error as Error).message}`
    throw new NamedError('CommandUnreadable', text, { status: 422 })
  }
}

function unknownText(name: string, commands: readonly { name: string }[]): string {
  const names = [...builtInNames, ...commands.map((command) => command.name)]
  const near = names.filter((known) => agentKey(known).startsWith(agentKey(name).slice(0, 3)))
  const meant =
    near.length === 0 ? '/help shows those that there are' : `did you mean /${near.slice(0, 3).join(', /')}?`
  return `There is no command /${name}, so it was sent as text; ${meant}`
}
