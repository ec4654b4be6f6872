import { readUIMessageStream } from 'ai'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { anyCutLog, anyLog } from '../testing/arbitrary-log.ts'
import { cost, patience, runs } from '../testing/test-effort.ts'
import { cleanMessage, createFold, foldChunks } from './fold.ts'
import type { Chunk, Message } from './message.ts'

describe('the fold of any log', { timeout: patience }, () => {
  it('equals the message of readUIMessageStream, raw and cleaned', async () => {
    await fc.assert(
      fc.asyncProperty(anyCutLog, async (log) => {
        const wanted = plain(await readByTheSdk(log))
        const folded = plain(foldChunks([...log, nudge]))
        expect(folded).toEqual(wanted)
        for (const run of ['ended', 'waiting'] as const) {
          expect(cleanMessage(folded, { run })).toEqual(cleanMessage(wanted, { run }))
        }
      }),
      runs(300),
    )
  })

  it('can be read after every chunk, and unchanged parts stay the same objects', () => {
    fc.assert(
      fc.property(anyLog, (log) => {
        const fold = createFold()
        let before: Message = fold.snapshot()
        for (const [index, chunk] of log.entries()) {
          fold.push(chunk)
          const after = fold.snapshot()
          expect(after).toEqual(foldChunks(log.slice(0, index + 1)))
          const renewed = before.parts.filter(
            (part, place) => place < after.parts.length && after.parts[place] !== part,
          )
          expect(renewed.length).toBeLessThanOrEqual(touchesOne.has(chunk.type.replace(/^data-.*/, 'data')) ? 1 : 0)
          before = after
        }
      }),
      runs(60),
    )
  })

  it('never changes a returned message', () => {
    fc.assert(
      fc.property(anyLog, (log) => {
        const fold = createFold()
        const seen: { message: Message; text: string }[] = []
        for (const chunk of log) {
          fold.push(chunk)
          const message = fold.snapshot()
          seen.push({ message, text: JSON.stringify(message) })
        }
        for (const { message, text } of seen) expect(JSON.stringify(message)).toBe(text)
      }),
      runs(60),
    )
  })

  it('continues from a stored snapshot wherever no text is open', () => {
    fc.assert(
      fc.property(anyLog, fc.nat(100), (log, at) => {
        const cut = closedPlace(log, at)
        const stored = plain(foldChunks(log.slice(0, cut)))
        const fold = createFold(stored)
        expect(plain(fold.snapshot())).toEqual(stored)
        for (const chunk of log.slice(cut)) fold.push(chunk)
        expect(plain(fold.snapshot())).toEqual(plain(foldChunks(log)))
        expect(plain(foldChunks(log.slice(0, cut)))).toEqual(stored)
      }),
      runs(200),
    )
  })
})

describe('the fold', () => {
  it('separates texts with reused ids', () => {
    const message = foldChunks([
      { type: 'start', messageId: 'm' },
      ...step('one'),
      ...step('two'),
      { type: 'text-start', id: '0' },
      { type: 'text-delta', id: '0', delta: 'three' },
    ])
    expect(message.parts).toEqual([
      { type: 'step-start' },
      { type: 'text', text: 'one', state: 'done' },
      { type: 'step-start' },
      { type: 'text', text: 'two', state: 'done' },
      { type: 'text', text: 'three', state: 'streaming' },
    ])
  })

  it('separates calls with reused ids', () => {
    const call = (output: string): Chunk[] => [
      { type: 'start-step' },
      { type: 'tool-input-available', toolCallId: 'c', toolName: 'Read', input: {} },
      { type: 'tool-output-available', toolCallId: 'c', output },
    ]
    const outputs = foldChunks([...call('one'), ...call('two')]).parts.flatMap((part) =>
      'output' in part ? [part.output] : [],
    )
    expect(outputs).toEqual(['one', 'two'])
  })

  it('finds the first of two calls again when the step of the second is reset', () => {
    const message = foldChunks([
      { type: 'start-step' },
      { type: 'tool-input-available', toolCallId: 'c', toolName: 'Read', input: { n: 1 } },
      { type: 'start-step' },
      { type: 'tool-input-available', toolCallId: 'c', toolName: 'Read', input: { n: 2 } },
      { type: 'reset-step' },
      { type: 'tool-output-available', toolCallId: 'c', output: 'late' },
    ])
    expect(message.parts[1]).toMatchObject({ input: { n: 1 }, output: 'late' })
    expect(message.parts).toHaveLength(3)
  })

  it('does not write on into a text that was reset', () => {
    const message = foldChunks([
      { type: 'start-step' },
      { type: 'text-start', id: '0' },
      { type: 'text-delta', id: '0', delta: 'old' },
      { type: 'reset-step' },
      { type: 'text-delta', id: '0', delta: 'new' },
    ])
    expect(message.parts).toEqual([{ type: 'step-start' }, { type: 'text', text: 'new', state: 'streaming' }])
  })

  it('shows the streamed input so far, and only then parses it', () => {
    const fold = createFold()
    fold.push({ type: 'tool-input-start', toolCallId: 'c', toolName: 'Write' })
    fold.push({ type: 'tool-input-delta', toolCallId: 'c', inputTextDelta: '{"path":"a.txt","content":"on' })
    expect(fold.snapshot().parts[0]).toMatchObject({
      state: 'input-streaming',
      input: { path: 'a.txt', content: 'on' },
    })
    fold.push({ type: 'tool-input-delta', toolCallId: 'c', inputTextDelta: 'ce"}' })
    expect(fold.snapshot().parts[0]).toMatchObject({ input: { path: 'a.txt', content: 'once' } })
  })

  it('continues where the AI SDK throws: no log can become unreadable', () => {
    const message = foldChunks([
      { type: 'text-delta', id: 'never-started', delta: 'still read' },
      { type: 'text-end', id: 'unknown' },
      { type: 'tool-input-delta', toolCallId: 'unknown', inputTextDelta: '{}' },
      { type: 'tool-output-available', toolCallId: 'unknown', output: 1 },
      { type: 'tool-output-error', toolCallId: 'unknown', errorText: 'x' },
      { type: 'tool-output-denied', toolCallId: 'unknown' },
      { type: 'tool-approval-request', toolCallId: 'unknown', approvalId: 'a' },
      { type: 'tool-approval-response', approvalId: 'unknown', approved: true },
      { type: 'of-tomorrow' } as unknown as Chunk,
    ])
    expect(message.parts).toEqual([{ type: 'text', text: 'still read', state: 'streaming' }])
  })

  it('accepts metadata with hostile keys without changing any prototype', () => {
    const hostile = JSON.parse(
      '{"__proto__": {"polluted": true}, "constructor": {"prototype": {"polluted": true}}}',
    ) as never
    const message = foldChunks([
      { type: 'start', messageId: 'm', messageMetadata: { model: 'a/b' } },
      { type: 'message-metadata', messageMetadata: hostile },
      { type: 'tool-input-start', toolCallId: '__proto__', toolName: '__proto__' },
      { type: 'tool-input-delta', toolCallId: '__proto__', inputTextDelta: '{"__proto__": {"polluted": true}' },
    ])
    expect(({} as Record<string, unknown>)['polluted']).toBeUndefined()
    expect((message.metadata as Record<string, unknown>)['polluted']).toBeUndefined()
    expect(message.metadata).toEqual({ model: 'a/b' })
    expect(message.parts).toHaveLength(1)
  })
})

describe('the cost of the fold', () => {
  const kinds: Record<string, (count: number) => Chunk[]> = {
    text: (count) => [{ type: 'text-start', id: '0' }, ...many(count, { type: 'text-delta', id: '0', delta: 'word ' })],
    reasoning: (count) => [
      { type: 'reasoning-start', id: '0' },
      ...many(count, { type: 'reasoning-delta', id: '0', delta: 'word ' }),
    ],
    'tool input': (count) => [
      { type: 'tool-input-start', toolCallId: 'c', toolName: 'Write' },
      { type: 'tool-input-delta', toolCallId: 'c', inputTextDelta: '{"content":"' },
      ...many(count, { type: 'tool-input-delta', toolCallId: 'c', inputTextDelta: 'word ' }),
    ],
  }

  it.each(Object.entries(kinds))('is linear in %s deltas', async (_, make) => {
    const small = make(10_000)
    const large = make(100_000)
    const perSmall = (await cost(() => foldChunks(small))) / 10_000
    const perLarge = (await cost(() => foldChunks(large))) / 100_000
    // A quadratic fold would take ten times as long. Under 40 ms in total is fine.
    expect(perLarge).toBeLessThan(Math.max(6 * perSmall, 0.0004))
  })

  it('is linear in calls', async () => {
    const calls = (count: number): Chunk[] =>
      Array.from({ length: count }, (_, n) => `c${n}`).flatMap((toolCallId): Chunk[] => [
        { type: 'tool-input-available', toolCallId, toolName: 'Read', input: {} },
        { type: 'tool-approval-request', toolCallId, approvalId: `ask-${toolCallId}` },
        { type: 'tool-approval-response', approvalId: `ask-${toolCallId}`, approved: true },
        { type: 'tool-output-available', toolCallId, output: 1 },
      ])
    const small = calls(1_000)
    const large = calls(10_000)
    const perSmall = (await cost(() => foldChunks(small))) / 1_000
    const perLarge = (await cost(() => foldChunks(large))) / 10_000
    expect(perLarge).toBeLessThan(Math.max(6 * perSmall, 0.004))
  })
})

const touchesOne = new Set(
  'text-delta text-end reasoning-delta reasoning-end tool-input-delta tool-input-available tool-input-error tool-approval-request tool-approval-response tool-output-available tool-output-error tool-output-denied data'.split(
    ' ',
  ),
)

/** The SDK's reader emits nothing after a `start-step`. This chunk makes it emit the current message. */
const nudge: Chunk = { type: 'message-metadata', messageMetadata: {} }

async function readByTheSdk(log: readonly Chunk[]): Promise<Message> {
  let last: Message | undefined
  const errors: unknown[] = []
  const stream = new ReadableStream<Chunk>({
    start(controller) {
      for (const chunk of [...log, nudge]) controller.enqueue(structuredClone(chunk))
      controller.close()
    },
  })
  const messages = readUIMessageStream<Message>({ stream, onError: (error) => errors.push(error) })
  for await (const message of messages) last = message
  // `error` chunks are reported too. Anything else means the generator produced an impossible log.
  const told = log.flatMap((chunk) => (chunk.type === 'error' ? [String(new Error(chunk.errorText))] : []))
  expect(errors.map(String)).toEqual(told)
  return last as Message
}

function plain<T>(value: T): T {
  return JSON.parse(JSON.stringify(value)) as T
}

/** Finds a position near `at` with no open text or reasoning: those parts do not store their id. */
function closedPlace(log: readonly Chunk[], at: number): number {
  const open = new Set<string>()
  let place = 0
  for (const [index, chunk] of log.slice(0, at).entries()) {
    if (chunk.type === 'text-start' || chunk.type === 'reasoning-start')
      open.add(`${chunk.type.split('-')[0]} ${chunk.id}`)
    else if (chunk.type === 'text-end' || chunk.type === 'reasoning-end')
      open.delete(`${chunk.type.split('-')[0]} ${chunk.id}`)
    else if (chunk.type === 'reset-step') open.clear()
    if (open.size === 0) place = index + 1
  }
  return place
}

function step(text: string): Chunk[] {
  return [
    { type: 'start-step' },
    { type: 'text-start', id: '0' },
    { type: 'text-delta', id: '0', delta: text },
    { type: 'text-end', id: '0' },
    { type: 'finish-step' },
  ]
}

function many(count: number, chunk: Chunk): Chunk[] {
  return Array.from({ length: count }, () => chunk)
}
