import fc from 'fast-check'
import type { Chunk } from '../src/message.ts'
import { anyInput, anyJson, anyJsonObject, anyText } from './arbitrary-json.ts'

interface Move {
  kind: (typeof kinds)[number]
  pick: number
  flag: boolean
  other: boolean
  name: string
  text: string
  json: unknown
  object: Record<string, unknown>
  /** Streamed input of a tool call. Avoids values that the SDK's partial parser cannot handle. */
  input: Record<string, unknown>
  metadata: Record<string, unknown> | undefined
}

const kinds = [
  ...repeat(12, 'delta', 'input-delta'),
  ...repeat(6, 'text-start', 'reasoning-start', 'call', 'input', 'output', 'ask', 'answer'),
  ...repeat(4, 'end', 'step', 'data', 'known-call', 'denied', 'output-error'),
  ...repeat(2, 'input-error', 'file', 'source', 'custom', 'metadata'),
  ...repeat(1, 'reset', 'error', 'abort'),
] as const

export const urls = [
  `/ai/blobs/${'0'.repeat(64)}`,
  `/ai/blobs/${'f'.repeat(64)}`,
  'https://example.com/picture.png',
  'data:image/png;base64,iVBORw0KGgo=',
  'data:text/plain,plain%20text',
  'data:;base64,!!!',
  'file:///etc/passwd',
  '../secret',
  '',
]

const citation = {
  source: { type: 'source', sourceType: 'url', id: 's1', url: 'https://example.com/a' },
  startIndex: 0,
  endIndex: 3,
}

interface CallState {
  toolCallId: string
  toolName: string
  dynamic: boolean
  step: number
  state: 'streaming' | 'ready' | 'asked' | 'refused' | 'settled'
  approvalId?: string
  rest: string
  input: unknown
}

function play(moves: readonly Move[]): Chunk[] {
  const log: Chunk[] = []
  const open = { text: new Set<string>(), reasoning: new Set<string>() }
  let calls: CallState[] = []
  let step = 0
  let made = 0
  put({
    type: 'start',
    messageId: 'answer',
    ...(moves.length % 2 === 0 && { messageMetadata: { model: 'acme/large', usage: { totalTokens: 1 } } }),
  })
  put({ type: 'start-step' })
  for (const move of moves) playMove(move)
  if (moves.length % 3 === 0)
    put({ type: 'finish', finishReason: 'stop', messageMetadata: { usage: { inputTokens: 3 } } })
  return log

  // Round-trips through JSON, as on the wire.
  function put(chunk: object): void {
    log.push(JSON.parse(JSON.stringify(chunk)) as Chunk)
  }

  function playMove(move: Move): void {
    const { kind, pick, flag, other, text, json, object, metadata } = move
    const withMetadata = metadata !== undefined && { providerMetadata: metadata }
    switch (kind) {
      case 'text-start':
      case 'reasoning-start': {
        const id = choose(pick, ['0', '1', 'txt-0'])
        open[kind === 'text-start' ? 'text' : 'reasoning'].add(id)
        return put({ type: kind, id, ...withMetadata })
      }
      case 'delta': {
        const [what, id] = pickOpen(pick)
        if (id !== undefined) put({ type: `${what}-delta`, id, delta: text, ...withMetadata })
        return
      }
      case 'end': {
        const [what, id] = pickOpen(pick)
        if (id === undefined) return
        open[what].delete(id)
        return put({
          type: `${what}-end`,
          id,
          ...withMetadata,
          ...(what === 'text' && flag && { citations: [citation] }),
        })
      }
      case 'call': {
        const call = newCall(move)
        const encoding = choose(pick, [undefined, undefined, 'json', 'text'])
        call.input = encoding === 'text' ? text : move.input
        call.rest = encoding === 'text' ? text : JSON.stringify(call.input)
        return put({
          type: 'tool-input-start',
          ...names(call),
          ...(encoding !== undefined && { inputEncoding: encoding }),
          ...extras(move),
          ...withMetadata,
        })
      }
      case 'input-delta': {
        const call = choose(
          pick,
          calls.filter((one) => one.state === 'streaming'),
        )
        if (call === undefined) return
        const length = flag ? pick % 4 : call.rest.length
        put({ type: 'tool-input-delta', toolCallId: call.toolCallId, inputTextDelta: call.rest.slice(0, length) })
        call.rest = call.rest.slice(length)
        return
      }
      case 'input': {
        const call = choose(
          pick,
          calls.filter((one) => one.state === 'streaming'),
        )
        if (call === undefined) return
        call.state = 'ready'
        return put({
          type: 'tool-input-available',
          ...names(call),
          input: call.input,
          ...extras(move),
          ...withMetadata,
        })
      }
      case 'known-call': {
        const call = newCall(move)
        call.state = 'ready'
        return put({
          type: 'tool-input-available',
          ...names(call),
          input: flag ? object : json,
          ...extras(move),
          ...withMetadata,
        })
      }
      case 'input-error': {
        const call =
          choose(
            pick,
            calls.filter((one) => one.state === 'streaming'),
          ) ?? newCall(move)
        call.state = 'settled'
        return put({
          type: 'tool-input-error',
          ...names(call),
          ...(other && { dynamic: true }),
          input: flag ? json : text,
          errorText: text,
          ...extras(move),
          ...withMetadata,
        })
      }
      case 'ask': {
        const call = choose(
          pick,
          calls.filter((one) => one.state === 'ready' || one.state === 'asked'),
        )
        if (call === undefined) return
        call.state = 'asked'
        call.approvalId = `ask-${call.toolCallId}`
        return put({
          type: 'tool-approval-request',
          approvalId: call.approvalId,
          toolCallId: call.toolCallId,
          ...(flag && { reason: text, approvalDescriptor: object }),
          ...(other && { isAutomatic: flag, inputSchemaInput: json, signature: 'sig' }),
        })
      }
      case 'answer': {
        const call = choose(
          pick,
          calls.filter((one) => one.state === 'asked'),
        )
        if (call === undefined) return
        call.state = flag ? 'ready' : 'refused'
        return put({
          type: 'tool-approval-response',
          approvalId: call.approvalId,
          approved: flag,
          ...(other && { reason: text }),
          ...withMetadata,
        })
      }
      case 'denied': {
        const call = choose(
          pick,
          calls.filter((one) => one.state === 'refused'),
        )
        if (call === undefined) return
        call.state = 'settled'
        return put({ type: 'tool-output-denied', toolCallId: call.toolCallId })
      }
      case 'output':
      case 'output-error': {
        // Includes tool calls with a pending or denied approval, or with unfinished input.
        const call = choose(
          pick,
          calls.filter((one) => one.state !== 'settled'),
        )
        if (call === undefined) return
        const preliminary = kind === 'output' && flag
        if (!preliminary) call.state = 'settled'
        else if (call.state === 'streaming') call.state = 'ready'
        return put({
          type: kind === 'output' ? 'tool-output-available' : 'tool-output-error',
          toolCallId: call.toolCallId,
          ...(kind === 'output' ? { output: json } : { errorText: text }),
          ...(kind === 'output' && (flag || pick % 5 === 0) && { preliminary: flag }),
          ...(other && { toolMetadata: { troupe: { modelText: text } } }),
          ...(pick % 7 === 0 && { providerExecuted: flag }),
          ...withMetadata,
        })
      }
      case 'step':
        forgetStreaming()
        if (flag) put({ type: 'finish-step' })
        if (other) put({ type: 'steering-message', id: `steer-${pick}`, parts: steeringParts(move) })
        step++
        return put({ type: 'start-step' })
      case 'reset':
        calls = calls.filter((call) => call.step !== step)
        open.text.clear()
        open.reasoning.clear()
        return put({ type: 'reset-step' })
      case 'data':
        return put({
          type: `data-${choose(pick, ['note', 'todo', 'skill', 'compaction', 'constructor'])}`,
          ...(flag && { id: choose(pick, ['x', 'y']) }),
          data: json,
          ...(other && { transient: pick % 3 !== 0 }),
        })
      case 'file':
        return put({
          type: flag ? 'file' : 'reasoning-file',
          url: choose(pick, urls),
          mediaType: choose(pick, ['image/png', 'text/plain', '']),
          ...withMetadata,
        })
      case 'source':
        if (flag)
          return put({
            type: 'source-url',
            sourceId: `s${pick}`,
            url: 'https://example.com/a',
            ...(other && { title: text }),
            ...withMetadata,
          })
        return put({
          type: 'source-document',
          sourceId: `s${pick}`,
          mediaType: 'text/plain',
          title: text,
          ...(other && { filename: 'a.txt' }),
          ...withMetadata,
        })
      case 'custom':
        return put({ type: 'custom', kind: 'acme.block', ...withMetadata })
      case 'metadata':
        return put({
          type: 'message-metadata',
          messageMetadata: { ...object, usage: flag ? { totalTokens: pick } : object },
        })
      case 'error':
        return put({ type: 'error', errorText: text })
      case 'abort':
        return put({ type: 'abort', ...(flag && { reason: text }) })
    }
  }

  function newCall(move: Move): CallState {
    const call: CallState = {
      toolCallId: `call-${made++}`,
      toolName: move.name,
      dynamic: move.pick % 4 === 0,
      step,
      state: 'streaming',
      rest: '',
      input: undefined,
    }
    calls.push(call)
    return call
  }

  /** The end of a step discards pending input of its tool calls. */
  function forgetStreaming(): void {
    calls = calls.filter((call) => call.state !== 'streaming')
  }

  function pickOpen(pick: number): ['text' | 'reasoning', string | undefined] {
    const all = [...open.text]
      .map((id) => ['text', id] as const)
      .concat([...open.reasoning].map((id) => ['reasoning', id] as never))
    const found = choose(pick, all)
    return found === undefined ? ['text', undefined] : [found[0], found[1]]
  }
}

function names(call: CallState): object {
  return { toolCallId: call.toolCallId, toolName: call.toolName, ...(call.dynamic && { dynamic: true }) }
}

function extras({ flag, other, pick, text, object }: Move): object {
  return {
    ...(pick % 3 === 0 && { title: text }),
    ...(pick % 5 === 0 && { providerExecuted: flag }),
    ...(other && { toolMetadata: object }),
  }
}

function steeringParts({ flag, text, pick }: Move): object[] {
  return [
    { type: 'text', text },
    ...(flag ? [{ type: 'file', mediaType: 'image/png', filename: text, url: choose(pick, urls) }] : []),
  ]
}

function choose<T>(pick: number, from: readonly [T, ...T[]]): T
function choose<T>(pick: number, from: readonly T[]): T | undefined
function choose<T>(pick: number, from: readonly T[]): T | undefined {
  return from[pick % from.length]
}

function repeat<T extends string>(times: number, ...names: T[]): T[] {
  return Array.from({ length: times }, () => names).flat()
}

const anyToolName = fc.oneof(
  { weight: 6, arbitrary: fc.constantFrom('Read', 'Bash', 'open-url') },
  { weight: 1, arbitrary: fc.constantFrom('', 'a b/c', 'münze', 'x'.repeat(100), '\ud83d') },
)

/** An object of objects, as providers send it. */
const anyMetadata = fc.dictionary(fc.constantFrom('anthropic', 'openai', 'google'), anyJsonObject, {
  maxKeys: 2,
  noNullPrototype: true,
})

const anyMove: fc.Arbitrary<Move> = fc.record({
  kind: fc.constantFrom(...kinds),
  pick: fc.nat(50),
  flag: fc.boolean(),
  other: fc.boolean(),
  name: anyToolName,
  text: anyText,
  json: anyJson,
  object: anyJsonObject,
  input: anyInput,
  metadata: fc.oneof({ weight: 3, arbitrary: fc.constant(undefined) }, { weight: 1, arbitrary: anyMetadata }),
})

/**
 * Random realistic logs, in which the AI SDK accepts every chunk too. Moves run against minimal state: open texts and
 * the progress of each tool call. Moves that do not fit are skipped, so a failing log shrinks to the few that matter.
 * Logs may end anywhere.
 */
export const anyLog: fc.Arbitrary<Chunk[]> = fc.array(anyMove, { maxLength: 80, size: 'max' }).map(play)

export const anyCutLog: fc.Arbitrary<Chunk[]> = fc
  .tuple(anyLog, fc.nat(200))
  .map(([log, length]) => log.slice(0, length))
