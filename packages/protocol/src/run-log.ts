import type { Chunk, Part } from './message.ts'

/**
 * What a run writes while it goes on. Chunks go to every subscriber and, within 250 ms, to the journal; notes are
 * private and only journalled.
 *
 * Numbers: each chunk moves the session's number on by `chunkSize(chunk)`: the length of a delta's text, else 1. The
 * number of a chunk is where it ends. So deltas that were joined can be cut again at any number a client names.
 */
export interface RunLog {
  append(chunk: Chunk): void
  note(note: Note): void
  /** Resolves when everything appended and noted so far survives a crash. */
  sync(): Promise<void>
}

/** Private journal entries; never on the wire. */
export type Note =
  /** Another process goes on with the run. Written before it sends anything, so that its numbers are never used again. */
  | { type: '$resume'; attempt: number }
  /** A model call begins. `elapsedMs`: how long the run has worked so far, in all its processes. */
  | { type: '$step'; step: number; attempt: number; elapsedMs?: number }
  | {
      type: '$model-end'
      step: number
      calls: NotedCall[]
      finishReason: string
      usage?: Record<string, number>
      elapsedMs?: number
    }
  /** A call that is not read-only is about to run, with the input as the model or the person gave it. */
  | { type: '$call'; toolCallId: string; input: unknown }
  /** A child process group of a call; `startTime` is what the kernel says, so that a reused pid is never ended. */
  | { type: '$process'; toolCallId: string; pid: number; startTime: string }
  | { type: '$repair'; toolCallId: string; before: string; after: string }
  /** What a call used of the model. */
  | { type: '$spend'; usage: Record<string, number> }
  /** A steering message that was accepted; it is injected at the next step boundary. */
  | ({ type: '$steer' } & SteeringMessage)

/** What is said to a run that is under way. */
export interface SteeringMessage {
  id: string
  text: string
  /** What it names: a command, skills, mentions. Told before it. */
  brought?: Part[]
  /** What may run unasked from then on, by each skill that whoever says it is at work with. */
  unasked?: string[][]
}

export interface NotedCall {
  toolCallId: string
  toolName: string
  input: unknown
  actionName?: string
  /** Set when the call never reached a tool: unknown name, bad input. */
  invalid?: string
}

export type LogItem = Chunk | Note

/** A row of the journal: consecutive items, deltas joined. The first item starts after `from`, the last ends at `to`. */
export interface Frame {
  runId: string
  seq: number
  from: number
  to: number
  items: LogItem[]
}

/** How far an item moves the session's number on: a delta by its length, any other chunk by one, a private note not. */
export function itemSize(item: LogItem): number {
  const text = deltaText(item)
  if (text !== undefined && text.length > 0) return text.length
  return item.type.startsWith('$') ? 0 : 1
}

/** The text of a delta chunk. */
export function deltaText(item: LogItem): string | undefined {
  switch (item.type) {
    case 'text-delta':
    case 'reasoning-delta':
      return (item as { delta: string }).delta
    case 'tool-input-delta':
      return (item as { inputTextDelta: string }).inputTextDelta
    default:
      return undefined
  }
}

/** Two neighbouring deltas of one part as one, or undefined where they cannot be joined without losing something. */
export function joinDeltas(a: LogItem, b: LogItem): LogItem | undefined {
  if (a.type !== b.type) return undefined
  if (a.type === 'text-delta' || a.type === 'reasoning-delta') {
    const next = b as typeof a
    if (a.id !== next.id || a.delta === '' || next.delta === '') return undefined
    if (a.providerMetadata !== undefined || next.providerMetadata !== undefined) return undefined
    return { type: a.type, id: a.id, delta: a.delta + next.delta }
  }
  if (a.type === 'tool-input-delta') {
    const next = b as typeof a
    if (a.toolCallId !== next.toolCallId || a.inputTextDelta === '' || next.inputTextDelta === '') return undefined
    return { type: a.type, toolCallId: a.toolCallId, inputTextDelta: a.inputTextDelta + next.inputTextDelta }
  }
  return undefined
}

/** The part of a delta that comes after its first `count` characters. */
export function sliceDelta(item: LogItem, count: number): LogItem {
  if (item.type === 'tool-input-delta') {
    return { ...item, inputTextDelta: item.inputTextDelta.slice(count) }
  }
  const chunk = item as Extract<LogItem, { type: 'text-delta' }>
  return { ...chunk, delta: chunk.delta.slice(count) }
}
