import type { Chunk, ErrorInfo, Message, Usage } from '@troupe/core/protocol'

export const formats = ['text', 'json', 'stream-json'] as const
export type Format = (typeof formats)[number]

/** What one answer came to. */
export interface Result {
  /** The text of the last step. */
  result: string
  sessionId: string
  messageId: string | null
  model: string | null
  /** Of its own model calls; what they cost where the price is known. */
  usage: Usage | null
  cost: number | null
  /** What its sub-agents took besides. */
  subAgents: { tokens: number; cost?: number } | null
  finishReason: string | null
  elapsedMs: number | null
  /** Null when the run did what it was asked to. */
  error: ErrorInfo | null
}

/** Shows an answer while it comes and when it is there. */
export interface Output {
  chunk(chunk: Chunk): void
  end(result: Result): void
}

export function createOutput(format: Format, write: (text: string) => void): Output {
  if (format === 'json') return { chunk: () => undefined, end: (result) => write(`${JSON.stringify(result)}\n`) }
  if (format === 'stream-json') return { chunk: (chunk) => write(`${JSON.stringify(chunk)}\n`), end: () => undefined }
  let last = ''
  const show = (text: string): void => {
    if (text === '') return
    write(text)
    last = text
  }
  return {
    chunk(chunk) {
      if ((chunk.type === 'text-start' || chunk.type === 'reset-step') && last !== '')
        show(last.endsWith('\n') ? '\n' : '\n\n')
      if (chunk.type === 'text-delta') show(chunk.delta)
    },
    end() {
      if (last !== '' && !last.endsWith('\n')) write('\n')
    },
  }
}

/** `complete`: the stream ended as the end of a run does. */
export function toResult(message: Message, run: { sessionId: string; complete: boolean; errorText?: string }): Result {
  const { metadata = {} } = message
  return {
    result: lastText(message),
    sessionId: run.sessionId,
    messageId: message.id || null,
    model: metadata.model ?? null,
    usage: metadata.usage ?? null,
    cost: metadata.cost ?? null,
    subAgents: metadata.subAgents ?? null,
    finishReason: metadata.finishReason ?? null,
    elapsedMs: metadata.elapsedMs ?? null,
    error: resultError(message, run),
  }
}

function resultError({ metadata = {} }: Message, run: { complete: boolean; errorText?: string }): ErrorInfo | null {
  if (metadata.error !== undefined) return metadata.error
  if (run.errorText !== undefined) return { name: 'RunFailed', message: run.errorText }
  if (metadata.aborted) return { name: 'Stopped', message: 'The run was stopped.' }
  if (metadata.interrupted) return { name: 'Interrupted', message: 'The process that ran it ended.' }
  if (metadata.stopped !== undefined)
    return { name: 'LimitReached', message: metadata.stopped.message, data: { reason: metadata.stopped.reason } }
  if (!run.complete) return { name: 'Unfinished', message: 'The answer was cut off before its end.' }
  return null
}

/** What was said after the last tool call, or everything where that is nothing. */
function lastText({ parts }: Message): string {
  const texts = (from: number): string =>
    parts
      .slice(from)
      .flatMap((part) => (part.type === 'text' ? [part.text] : []))
      .join('\n\n')
  const start = parts.findLastIndex((part) => part.type === 'step-start')
  return texts(start + 1) || texts(0)
}
