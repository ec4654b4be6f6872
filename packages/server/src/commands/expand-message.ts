import { statSync } from 'node:fs'
import path from 'node:path'
import {
  type AgentDefinition,
  agentKey,
  type Decision,
  expandCommand,
  type FoundSkills,
  type Mention,
  mentionsIn,
  parseCommand,
  type PromptPicture,
  readCommandBody,
  readMention,
  type Session,
  type Store,
  type Workspace,
} from '@troupe/core'
import {
  type Chunk,
  type DataParts,
  NamedError,
  newId,
  type Part,
  type SteeringMessage,
  type StoredMessage,
} from '@troupe/protocol'
import { promptArguments, type PromptCommand } from '../mcp/prompt-commands.ts'
import { messageChunks } from '../runs/stored-answer.ts'
import { loadMentionedSkills } from '../skills/skill-registry.ts'
import { agent } from './built-in/agent.ts'
import { clear } from './built-in/clear.ts'
import type { BuiltInCommand, CommandContext, CommandReply, UsableCommands } from './built-in/command.ts'
import { compact } from './built-in/compact.ts'
import { help } from './built-in/help.ts'
import { model } from './built-in/model.ts'
import { plan } from './built-in/plan.ts'
import { summaryTitle } from './built-in/summary-title.ts'
import { undo } from './built-in/undo.ts'

interface MessageToExpand {
  /** As the user wrote it. */
  parts: readonly Part[]
  workspaceId: string
  session: Session | undefined
  /** Reads the branch above the message. Lazy, because most messages do not need it. */
  chain: () => Promise<readonly StoredMessage[]>
}

interface ExpandedMessage {
  /** Parts added by commands, skills and mentions, followed by the written ones. */
  parts: Part[]
  /** Hints for the user, shown at the start of the answer. */
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
    /** Throws `McpNotRunning` (409) if the command's server exists but cannot be used. */
    check(workspace: Workspace, command: string): void
    read(
      workspace: Workspace,
      prompt: PromptCommand['prompt'],
      given: Record<string, string>,
    ): Promise<{ text: string; pictures: PromptPicture[] }>
  }
  mentions(workspace: Workspace, session: Session | undefined): Promise<MentionSources>
  /** Throw if the agent or model named by a command is invalid. */
  checkAgent(workspace: Workspace, name: string): Promise<unknown>
  checkModel(id: string): Promise<unknown>
}): ExpandMessage {
  return async ({ parts, workspaceId, session, chain }) => {
    const written = parts.flatMap((part) => (part.type === 'text' ? [part.text] : []))
    if (!written.some((text) => /[/@]/.test(text)) || findBuiltIn(parts) !== undefined)
      return { parts: [...parts], hints: [] }
    const workspace = await options.workspace(workspaceId)
    const { command, hints } = await ownCommand(written[0] ?? '', workspace)
    // Text written by an MCP server is not expanded, because the user did not name anything there.
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
      agent,
      model,
      allowedTools: allowedTools && [...allowedTools],
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
    return { name, path, scope, content, pictures: pictures.length > 0 ? pictures : undefined }
  }
}

function commandBody(command: { name: string; path: string }): string {
  try {
    return readCommandBody(command)
  } catch (error) {
    const text = `The command /${command.name} could not be read: ${(error as Error).message}`
    throw new NamedError('CommandUnreadable', text, { status: 422 })
  }
}

function unknownText(name: string, commands: readonly { name: string }[]): string {
  const names = [...builtInNames, ...commands.map((command) => command.name)]
  const near = names.filter((known) => agentKey(known).startsWith(agentKey(name).slice(0, 3)))
  const meant = near.length === 0 ? 'Type /help to see all commands.' : `Did you mean /${near.slice(0, 3).join(', /')}?`
  return `There is no command /${name}, so it was sent as text. ${meant}`
}

/**
 * Expands a message sent to a running run, like any other message. Throws `CommandWhileRunning` (409) for commands that
 * cannot be part of the current answer.
 */
export async function expandSteering(
  { id, text }: { id: string; text: string },
  session: Session,
  { store, commands }: { store: Pick<Store, 'messages'>; commands: { expandMessage: ExpandMessage } },
): Promise<{ message: SteeringMessage; hints: string[] }> {
  const written: Part[] = [{ type: 'text', text }]
  const builtIn = findBuiltIn(written)
  if (builtIn !== undefined) throw commandWhileRunning(`/${builtIn.command.name} cannot be used`)
  const at = { sessionId: session.id }
  const taken = await commands.expandMessage({
    parts: written,
    workspaceId: session.workspaceId,
    session,
    async chain() {
      const leaf = await store.messages.latestLeaf(at)
      return leaf === undefined ? [] : store.messages.chain(at, leaf)
    },
  })
  const brought = taken.parts.filter(({ type }) => type !== 'text')
  for (const part of brought) {
    const { name, agent, model } = ('data' in part ? part.data : {}) as {
      name?: string
      agent?: string
      model?: string
    }
    if (part.type === 'data-command' && (agent ?? model) !== undefined)
      throw commandWhileRunning(`/${name ?? ''} is answered by ${agent ?? model}, so it cannot be used`)
  }
  const hints = taken.hints.map((hint) => String((hint as { data?: { text?: unknown } }).data?.text))
  return { message: { id, text, brought: brought.length > 0 ? brought : undefined }, hints }
}

function commandWhileRunning(what: string): NamedError {
  const text = `${what} while an answer is running. Stop the answer or wait for it to finish.`
  return new NamedError('CommandWhileRunning', text, { status: 409 })
}

const maxMentions = 20
const maxMentionBytes = 60_000
const maxAllMentionBytes = 200_000

export interface MentionSources {
  workspacePath: string
  agents: readonly Pick<AgentDefinition, 'name' | 'description'>[]
  /** Decides if a path can be read without approval, as for a Read or ListDir call. */
  mayRead(call: { tool: 'Read' | 'ListDir'; path: string }): Promise<Decision>
}

/**
 * Converts `@` mentions to parts. Missing targets are not mentions. Targets that need approval (secrets, paths outside
 * the workspace, forbidden paths) are not included, and the part states the reason.
 */
async function attachMentions(text: string, place: MentionSources): Promise<Part[]> {
  const parts: Part[] = []
  let left = maxAllMentionBytes
  for (const mention of mentionsIn(text).slice(0, maxMentions)) {
    const data = agentPart(mention, place) ?? (await pathPart(mention, place, Math.min(left, maxMentionBytes)))
    if (data === undefined) continue
    left -= data.content.length
    parts.push({ type: 'data-mention', data })
  }
  return parts
}

/** A bare name matches an agent before a file. `./name` always means a file. */
function agentPart({ name, from }: Mention, { agents }: MentionSources): DataParts['mention'] | undefined {
  const agent = from === undefined ? agents.find((known) => agentKey(known.name) === agentKey(name)) : undefined
  if (agent === undefined || /[/.]/.test(name)) return undefined
  const content = `The user wants the agent ${agent.name} for this: ${agent.description}`
  return { kind: 'agent', name: agent.name, content }
}

async function pathPart(
  mention: Mention,
  { workspacePath, mayRead }: MentionSources,
  most: number,
): Promise<DataParts['mention'] | undefined> {
  const { name } = mention
  const target = path.resolve(workspacePath, name)
  const refused = (content: string): DataParts['mention'] => ({ kind: 'refused', name, content })
  try {
    const stats = statSync(target, { throwIfNoEntry: false })
    if (stats === undefined) return undefined
    const within = path.relative(workspacePath, target)
    const shown = within.startsWith('..') ? target : within || '.'
    const { decision, reason } = await mayRead({ tool: stats.isDirectory() ? 'ListDir' : 'Read', path: shown })
    if (decision !== 'allow') return refused(`${name} was not included. ${reason}`)
    if (most < 1000)
      return refused(`${name} was not included, because the message mentions too much. Read it if you need it.`)
    return readMention(mention, { path: target, stats }, most)
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    // The path runs through a file, or the name is too long, so this is not a path.
    if (code === 'ENOTDIR' || code === 'ENAMETOOLONG' || name.includes('\0')) return undefined
    return refused(`${name} could not be read: ${(error as Error).message}`)
  }
}

/** In the order shown by help. */
export const builtIns: readonly BuiltInCommand[] = [help, summaryTitle, compact, clear, undo, model, agent, plan]

export const builtInNames: readonly string[] = builtIns.flatMap(({ name, aliases = [] }) => [name, ...aliases])

/** Matches the message's first text part. */
export function findBuiltIn(parts: readonly Part[]): { command: BuiltInCommand; rest: string } | undefined {
  const parsed = parseCommand(parts.find((part) => part.type === 'text')?.text ?? '')
  const command = builtIns.find(({ name, aliases = [] }) => [name, ...aliases].includes(parsed?.name ?? ''))
  return command === undefined || parsed === undefined ? undefined : { command, rest: parsed.rest }
}

type CommandOutcome =
  | { kind: 'answer'; message: StoredMessage; chunks: Chunk[] }
  | ({ kind: 'run' } & Extract<CommandReply, { run: unknown }>)

export async function answerCommand(
  { command, rest }: { command: BuiltInCommand; rest: string },
  given: { session: Session; workspace: Workspace; userMessageId: string; opening: readonly Chunk[] },
  context: CommandContext,
): Promise<CommandOutcome> {
  const { session, workspace, userMessageId, opening } = given
  const at = { sessionId: session.id }
  const chain = await context.store.messages.chain(at, userMessageId)
  const reply = await Promise.try(() => command.run({ session, workspace, userMessageId, rest, chain }, context)).catch(
    (error: unknown): CommandReply => {
      if (error instanceof NamedError) return { text: error.message }
      throw error
    },
  )
  if ('run' in reply) return { kind: 'run', ...reply }
  const isTransient = (chunk: Chunk): boolean => 'transient' in chunk && chunk.transient === true
  const createdAt = Date.now()
  const message: StoredMessage = {
    id: newId('msg_'),
    parentMessageId: userMessageId,
    role: 'assistant',
    // Data parts that open an answer are stored as sent.
    parts: [
      ...(opening.filter((chunk) => !isTransient(chunk)) as unknown as Part[]),
      ...(reply.parts ?? []),
      { type: 'text', text: reply.text, state: 'done' },
    ],
    metadata: { createdAt, finishReason: 'stop' },
    createdAt,
  }
  await context.store.messages.add(at, message)
  const chunks = [...opening.filter(isTransient), ...messageChunks(message as never), ...(reply.chunks ?? [])]
  return { kind: 'answer', message, chunks }
}
