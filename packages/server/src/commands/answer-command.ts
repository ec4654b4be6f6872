import {
  NamedError,
  newId,
  type Chunk,
  type Part,
  type Session,
  type StoredMessage,
  type Workspace,
} from '@troupe/core'
import { messageChunks } from '../message-chunks.ts'
import type { BuiltInCommand, CommandContext, CommandReply } from './command.ts'

/** What a command came to: an answer that is stored, with the chunks that tell it, or the run that it wants. */
export type CommandOutcome =
  | { kind: 'answer'; message: StoredMessage; chunks: Chunk[] }
  | ({ kind: 'run' } & Extract<CommandReply, { run: unknown }>)

/** Carries out a command of ours. What is wrong with it is the answer. */
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
    // Data parts that open an answer are stored as they are sent.
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
