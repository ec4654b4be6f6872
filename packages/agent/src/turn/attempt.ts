import { createMemoryAsks, run, type RunInput } from '@troupe/core/run'
import type { Tool } from '@troupe/core/tool'
import {
  type CallNotes,
  type Chunk,
  type Message,
  type Metadata,
  NamedError,
  type StoredMessage,
  type Usage,
} from '@troupe/protocol'
import type { PromptMessage } from '../prompt/render-prompt.ts'
import { type AgentOptions, type CallSettings, createDecide } from './agent-options.ts'
import type { ToolLog } from './tool-registry.ts'

export interface Attempt {
  settings: AgentOptions
  session: string
  runId: string
  signal: AbortSignal
  messages: readonly PromptMessage[]
  tools: readonly Tool[]
  responseFormat?: unknown
  onText(delta: string): void
  onReasoning(delta: string): void
  onTool(log: ToolLog): void
  onStep(step: number): void
  onRetry(retry: { attempt: number; delayMs: number; message: string }): void
  /** Called when this step's output is void because the model is called again. */
  onReset(): void
}

export interface AttemptEnd {
  message: Message
  /** Text of the last step. */
  text: string
  reasoning: string
  usage: Usage | undefined
  finishReason: string
  aborted: boolean
  stopped: Metadata['stopped']
  /** Provider error. Unset if the signal aborted the attempt. */
  error?: NamedError
}

/** Runs one model answer with its tool calls, in the same loop as workspace runs. */
export async function runAttempt(attempt: Attempt): Promise<AttemptEnd> {
  const outcome = await run({
    ...runInput(attempt),
    tools: attempt.tools,
    history: attempt.messages.map(storedMessage),
    log: { append: listener(attempt), note: () => undefined, sync: () => Promise.resolve() },
  })
  const { message, error } = outcome
  const { usage, finishReason = 'other', stopped } = message.metadata ?? {}
  const last = message.parts.slice(message.parts.findLastIndex((part) => part.type === 'step-start') + 1)
  return {
    message,
    text: joinText(last, 'text'),
    reasoning: joinText(last, 'reasoning'),
    usage,
    finishReason,
    aborted: outcome.status === 'aborted',
    stopped,
    error: error && new NamedError(error.name, error.message, { status: 502, data: error.data ?? {} }),
  }
}

type AttemptSettings = Pick<Attempt, 'settings' | 'session' | 'runId' | 'signal'> & { responseFormat?: unknown }

export function runInput({
  settings,
  session,
  runId,
  signal,
  responseFormat,
}: AttemptSettings): Omit<RunInput, 'tools' | 'history' | 'log'> {
  const { model, name, ask, limits, maxRetries, stallMs, state } = settings
  const callOptions: CallSettings & { responseFormat?: unknown } = {
    ...settings.callOptions,
    ...(responseFormat !== undefined && { responseFormat }),
  }
  return {
    runId,
    messageId: runId,
    session: { id: session },
    workspace: { id: 'library', path: settings.workspace ?? process.cwd() },
    frames: [{ kind: 'master', name, depth: 0, path: [name] }],
    model: { id: `${model.provider}/${model.modelId}`, model },
    callOptions,
    signal,
    headless: ask === undefined,
    asks: createMemoryAsks(async (asked) => {
      if (ask === undefined) return { type: 'deny', remark: 'Nobody is available to ask.' }
      const answer = await ask(asked)
      settings.remembered?.add(session, asked, answer)
      return answer
    }),
    decide: createDecide(settings, session),
    limits,
    maxRetries,
    stallMs,
    state,
  }
}

function listener(attempt: Attempt): (chunk: Chunk) => void {
  const calls = createCallLogs(attempt.onTool)
  let step = 0
  return (chunk) => {
    switch (chunk.type) {
      case 'text-delta':
        attempt.onText(chunk.delta)
        return
      case 'reasoning-delta':
        attempt.onReasoning(chunk.delta)
        return
      case 'start-step':
        if (++step > 1) attempt.onStep(step)
        return
      case 'reset-step':
        attempt.onReset()
        return
      case 'data-retry':
        attempt.onRetry(chunk.data as Parameters<Attempt['onRetry']>[0])
        return
      default:
        calls(chunk)
    }
  }
}

/** Builds tool logs from chunks, one when a tool call has its result. */
export function createCallLogs(onLog: (log: ToolLog, toolCallId: string) => void): (chunk: Chunk) => void {
  const open = new Map<string, Pick<ToolLog, 'name' | 'kwargs' | 'purpose'>>()
  const refusals = new Map<string, string>()
  return (chunk) => {
    switch (chunk.type) {
      case 'tool-input-available':
      case 'tool-input-error': {
        const { actionName } = callNotes(chunk)
        open.set(chunk.toolCallId, { name: chunk.toolName, kwargs: chunk.input, purpose: actionName ?? chunk.toolName })
        if (chunk.type === 'tool-input-error') close(chunk.toolCallId, { error: chunk.errorText })
        return
      }
      case 'tool-output-available':
        close(chunk.toolCallId, { result: callNotes(chunk).modelText ?? chunk.output }, callNotes(chunk))
        return
      case 'tool-output-error':
        close(chunk.toolCallId, { error: chunk.errorText }, callNotes(chunk))
        return
      case 'tool-approval-response':
        if (!chunk.approved && chunk.reason !== undefined) refusals.set(chunk.approvalId, chunk.reason)
        return
      case 'tool-output-denied':
        close(chunk.toolCallId, { error: [...refusals.values()].at(-1) ?? 'The tool call was denied.' })
        return
      default:
    }
  }

  function close(toolCallId: string, end: Pick<ToolLog, 'result' | 'error'>, notes: CallNotes = {}): void {
    const call = open.get(toolCallId)
    if (call === undefined) return
    open.delete(toolCallId)
    const kwargs = 'executedInput' in notes ? notes.executedInput : call.kwargs
    onLog({ ...call, kwargs, ...end }, toolCallId)
  }
}

function callNotes(chunk: { toolMetadata?: unknown }): CallNotes {
  return (chunk.toolMetadata as { troupe?: CallNotes } | undefined)?.troupe ?? {}
}

function storedMessage({ role, parts }: PromptMessage, index: number): StoredMessage {
  return { id: `prompt-${index}`, parentMessageId: null, role, parts, createdAt: 0 }
}

function joinText(parts: Message['parts'], type: 'text' | 'reasoning'): string {
  return parts.flatMap((part) => (part.type === type ? [part.text] : [])).join('')
}
