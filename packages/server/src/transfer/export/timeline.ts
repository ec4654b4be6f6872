import { deltaText, type LogItem, type Part } from '@troupe/protocol'

/** Times of a part's start, its end and a call's result, in milliseconds from the start of the run. */
export interface PartTimes {
  at: number
  until: number
  out?: number
}

export interface Timeline {
  /** By the part's index in its message. */
  parts: Map<number, PartTimes>
  duration: number
}

/** An event and its relative share of the time until the next known moment. */
interface TimelineEvent {
  weight: number
  ms?: number
  at: number
}

interface TimelineSpan {
  kind: 'text' | 'reasoning' | 'call'
  id: string
  length: number
  first: TimelineEvent
  last: TimelineEvent
  out?: TimelineEvent
  own: TimelineEvent[]
}

/**
 * Computes the times of an answer's parts from its log. The log records elapsed time at the start and end of each model
 * call, and the durations of tools and reasoning. Everything in between is distributed by length.
 */
export function buildTimeline(
  items: readonly LogItem[],
  parts: readonly Part[],
  elapsedMs: number | undefined,
): Timeline {
  const happenings: TimelineEvent[] = []
  const moments: { index: number; at: number }[] = [{ index: 0, at: 0 }]
  let pieces: TimelineSpan[] = []
  /** Start of the step. A retry drops the pieces after it. */
  let step = 0
  let thoughtMs: number | undefined
  const happen = (weight: number): TimelineEvent => {
    const happening = { weight, at: 0 }
    happenings.push(happening)
    return happening
  }
  const begin = (kind: TimelineSpan['kind'], id: string): TimelineSpan => {
    const first = happen(1)
    const piece: TimelineSpan = { kind, id, length: 0, first, last: first, own: [first] }
    pieces.push(piece)
    return piece
  }
  const find = (kind: TimelineSpan['kind'], id: string): TimelineSpan =>
    pieces.findLast((piece, index) => piece.kind === kind && piece.id === id && (kind === 'call' || index >= step)) ??
    begin(kind, id)

  for (const item of items) {
    const chunk = item as LogItem & { id?: string; toolCallId?: string; elapsedMs?: number }
    const delta = deltaText(item)
    if (item.type === '$step' || item.type === '$model-end') {
      if (chunk.elapsedMs !== undefined) moments.push({ index: happenings.length, at: chunk.elapsedMs })
      if (item.type === '$step') step = pieces.length
    } else if (item.type === 'reset-step') {
      pieces = pieces.slice(0, step)
    } else if (item.type === 'text-start' || item.type === 'reasoning-start') {
      begin(item.type === 'text-start' ? 'text' : 'reasoning', chunk.id ?? '')
    } else if (delta !== undefined && item.type !== 'tool-input-delta') {
      const piece = find(item.type === 'text-delta' ? 'text' : 'reasoning', chunk.id ?? '')
      piece.length += delta.length
      piece.last = happen(delta.length)
      piece.own.push(piece.last)
    } else if (item.type === 'message-metadata') {
      thoughtMs = reasoningMsIn(item)
    } else if (item.type === 'reasoning-end') {
      if (thoughtMs !== undefined) distributeTime(find('reasoning', chunk.id ?? '').own, thoughtMs)
      thoughtMs = undefined
    } else if (chunk.toolCallId !== undefined && !item.type.startsWith('$')) {
      const piece = find('call', chunk.toolCallId)
      if (item.type.startsWith('tool-input')) piece.last = happen(delta?.length ?? 1)
      else if (item.type.startsWith('tool-output')) piece.out = happen(elapsedMsIn(item))
    }
  }
  placeEvents(happenings, moments, elapsedMs)
  const duration = Math.max(elapsedMs ?? 0, happenings.at(-1)?.at ?? 0)
  return pieces.length === 0 ? estimateTimeline(parts, elapsedMs) : { parts: match(parts, pieces, duration), duration }
}

/** The loop reports the duration of reasoning just before its end. */
function reasoningMsIn(item: LogItem): number | undefined {
  const { messageMetadata } = item as { messageMetadata?: { reasoningMs?: Record<string, unknown> } }
  const told = Object.values(messageMetadata?.reasoningMs ?? {}).at(-1)
  return typeof told === 'number' && told >= 0 ? told : undefined
}

function distributeTime(happenings: TimelineEvent[], ms: number): void {
  const sum = happenings.reduce((weights, { weight }) => weights + weight, 0)
  for (const happening of happenings) happening.ms = (ms * happening.weight) / sum
}

/** A tool's duration is in its result's metadata. */
function elapsedMsIn(item: LogItem): number {
  const { toolMetadata } = item as { toolMetadata?: { troupe?: { elapsedMs?: unknown } } }
  const told = toolMetadata?.troupe?.elapsedMs
  return typeof told === 'number' && told > 0 ? told : 1
}

/** Between two known moments, events with a known duration take it, and the rest share the remaining time. */
function placeEvents(
  happenings: TimelineEvent[],
  given: { index: number; at: number }[],
  elapsedMs: number | undefined,
): void {
  const total = happenings.reduce((sum, { weight }) => sum + weight, 0)
  const last = given.at(-1)!
  const moments = [...given, { index: happenings.length, at: Math.max(elapsedMs ?? last.at + 3 * total, last.at) }]
  for (const [i, to] of moments.entries()) {
    const from = moments[i - 1]
    if (from === undefined) continue
    const within = happenings.slice(from.index, to.index)
    const time = Math.max(0, to.at - from.at)
    const known = within.reduce((sum, { ms = 0 }) => sum + ms, 0)
    const weights = within.reduce((sum, { ms, weight }) => (ms === undefined ? sum + weight : sum), 0)
    // Clocks may disagree: known durations cannot exceed the total.
    const scale = known > time || weights === 0 ? time / Math.max(known, 1) : 1
    const left = Math.max(0, time - known * scale)
    let passed = 0
    for (const happening of within) {
      passed += happening.ms === undefined ? (left * happening.weight) / weights : happening.ms * scale
      happening.at = Math.round(from.at + passed)
    }
  }
}

/** Matches texts by order and calls by id. */
function match(parts: readonly Part[], pieces: TimelineSpan[], duration: number): Map<number, PartTimes> {
  const left = {
    text: pieces.filter(({ kind, length }) => kind === 'text' && length > 0),
    reasoning: pieces.filter(({ kind, length }) => kind === 'reasoning' && length > 0),
  }
  const found = new Map<number, PartTimes>()
  let at = 0
  for (const [index, part] of parts.entries()) {
    const piece =
      part.type === 'text' || part.type === 'reasoning'
        ? left[part.type].shift()
        : 'toolCallId' in part
          ? pieces.find(({ kind, id }) => kind === 'call' && id === part.toolCallId)
          : undefined
    if (piece === undefined) found.set(index, { at, until: at })
    else {
      at = piece.first.at
      const until = Math.max(at, piece.last.at)
      const isOut = piece.kind === 'call'
      found.set(index, { at, until, out: isOut ? Math.max(until, piece.out?.at ?? duration) : undefined })
    }
  }
  return found
}

/** Without a log, uses reading speed or the answer's duration. */
function estimateTimeline(parts: readonly Part[], elapsedMs: number | undefined): Timeline {
  const found = new Map<number, PartTimes>()
  let at = 0
  for (const [index, part] of parts.entries()) {
    const length =
      part.type === 'text' || part.type === 'reasoning' ? part.text.length * 3 : 'toolCallId' in part ? 600 : 0
    const until = at + Math.min(length, 20_000)
    found.set(index, { at, until, out: 'toolCallId' in part ? until : undefined })
    at = until
  }
  const scale = elapsedMs === undefined || at === 0 ? 1 : elapsedMs / at
  for (const times of found.values())
    for (const key of ['at', 'until', 'out'] as const)
      if (times[key] !== undefined) times[key] = Math.round(times[key] * scale)
  return { parts: found, duration: Math.round(at * scale) }
}
