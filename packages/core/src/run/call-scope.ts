import { aliasKey } from '../tool-aliases.ts'
import type { Chunk } from '../protocol/message.ts'
import type { ToolContext } from '../tool.ts'
import type { Call } from './parse-call.ts'
import type { RunInput } from './run-input.ts'
import type { Turn } from './turn.ts'
import type { WriteLock } from './write-lock.ts'

/** What a call needs of the run around it. */
export interface CallScope {
  input: RunInput
  /** The fields of `ctx` that all calls of the step share. */
  base: Omit<
    ToolContext,
    'toolCallId' | 'signal' | 'emit' | 'ask' | 'process' | 'approval' | 'granted' | 'agents' | 'state'
  >
  /** Made when the first call looks at it. */
  state: () => ToolContext['state']
  /** Aborted when the run is, and when the model call that made this call fails. */
  signal: AbortSignal
  writes: WriteLock
  emit: (chunk: Chunk) => void
  /** Marks the call as waiting for a person until the returned function is called. */
  waiting: () => () => void
  /** Others can see that the call asks for approval: those after it may ask as well, until the returned function is called. */
  asking: () => () => void
  /** A person refused without a remark: the turn ends, and later calls of the step that wait for a person are let go. */
  deny: (call: Call) => void
  /** Aborted when nobody need answer the asks of this call any more. */
  askSignal: (call: Call) => AbortSignal
  /** Set when this execution is found in the journal of an earlier process: the input that ran. */
  startedBefore?: { input: unknown }
}

export function openCallScope(turn: Turn): Omit<CallScope, 'signal' | 'deny' | 'askSignal' | 'asking'> {
  const { input, emit, waiting, state } = turn
  return { input, emit, waiting, state, writes: turn.writes(), base: sharedContext(turn) }
}

/** The fields of `ctx` that all calls of a step share. */
function sharedContext({ input, attempt, fold, step, spend }: Turn): CallScope['base'] {
  return {
    session: input.session,
    workspace: input.workspace,
    ...(input.client !== undefined && { client: input.client }),
    ...(input.tab !== undefined && { tab: input.tab }),
    ...(input.page !== undefined && { page: input.page }),
    run: { id: input.runId, attempt, step },
    frames: input.frames,
    agent: input.frames.at(-1) as RunInput['frames'][number],
    chatModel: input.model,
    messageId: input.messageId,
    lastOutput: (toolName) => lastOutput([...input.history, fold.snapshot()], toolName),
    spend,
    settings: input.settings ?? (() => undefined),
    ...(input.blobs !== undefined && { blobs: input.blobs }),
    ...(input.media !== undefined && { media: input.media }),
    ...(input.browser !== undefined && { browser: input.browser }),
    ...(input.mode !== undefined && { mode: input.mode }),
    credentials: input.credentials ?? (() => Promise.resolve(undefined)),
  }
}

function lastOutput(messages: readonly { parts: readonly object[] }[], toolName: string): unknown {
  for (const { parts } of messages.toReversed()) {
    const part = parts.findLast(
      (candidate) => 'output' in candidate && isToolPart(candidate as unknown as { type: string }, toolName),
    )
    if (part !== undefined) return (part as { output: unknown }).output
  }
  return undefined
}

/** Some models know our tools by other names; the parts of their calls carry those. */
function isToolPart(part: { type: string }, toolName: string): boolean {
  return part.type.startsWith('tool-') && aliasKey(part.type.slice('tool-'.length)) === aliasKey(toolName)
}
