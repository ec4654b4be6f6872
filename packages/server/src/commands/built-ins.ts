import { parseCommand, type Session, type Workspace } from '@troupe/core'
import { type Chunk, NamedError, newId, type Part, type StoredMessage } from '@troupe/protocol'
import { messageChunks } from '../runs/stored-answer.ts'
import { agent } from './built-in/agent.ts'
import { clear } from './built-in/clear.ts'
import type { BuiltInCommand, CommandContext, CommandReply } from './built-in/command.ts'
import { compact } from './built-in/compact.ts'
import { help } from './built-in/help.ts'
import { model } from './built-in/model.ts'
import { plan } from './built-in/plan.ts'
import { summaryTitle } from './built-in/summary-title.ts'
import { undo } from './built-in/undo.ts'

/** In the order shown by help. */
export const builtIns: readonly BuiltInCommand[] = [help, summaryTitle, compact, clear, undo, model, agent, plan]

export const builtInNames: readonly string[] = builtIns.flatMap(({ name, aliases = [] }) => [name, ...aliases])

/** Matches the message's first text part. */
export function findBuiltIn(parts: readonly Part[]): { command: BuiltInCommand; rest: string } | undefined {
  const text = parts.find((part) => part.type === 'text')?.text ?? ''
  const parsed = parseCommand(text)
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
