import { readUIMessageStream } from 'ai'
import { expect, test } from 'vitest'
import { foldChunks } from '../../../protocol/src/fold.ts'
import type { Chunk, Message } from '../../../protocol/src/message.ts'
import { play, probe } from '../../testing/play-run.ts'
import { createMemoryLog } from '../store/memory.ts'
import type { ScriptItem } from '../testing/script.ts'
import { stopNow } from '../tool/abort-reason.ts'
import { timeReasoning } from './call-model.ts'

const signature = { acme: { signature: 's' } }

test('each reasoning part is stored with its duration, although the ids repeat in every step', async () => {
  const { message, log, model } = await play(
    [
      [{ reasoning: 'short', providerMetadata: signature }, { call: { name: 'Look', input: {}, id: 'c1' } }],
      [{ reasoning: 'long enough', chunks: 2, delayMs: 30 }, { text: 'There.' }],
    ],
    [probe('Look', true, [])],
  )
  const ids = message.parts.flatMap((part) => (part.type === 'reasoning' ? [(part as { id?: string }).id] : []))
  expect(new Set(ids).size).toBe(1)
  const [short = NaN, long = NaN, ...others] = Object.values(message.metadata?.reasoningMs ?? {})
  expect(Object.keys(message.metadata?.reasoningMs ?? {})).toEqual([`1:${ids[0]}`, `2:${ids[0]}`])
  expect(others).toEqual([])
  expect(short).toBeGreaterThanOrEqual(0)
  expect(long).toBeGreaterThan(40)
  // Provider metadata goes back unchanged, and nothing else is added.
  expect(JSON.stringify(model.calls.map(({ prompt }) => prompt))).toContain(
    '"providerOptions":{"acme":{"signature":"s"}}',
  )
  expect(JSON.stringify(model.calls)).not.toContain('reasoningMs')
  const chunks = log.items.filter((item): item is Chunk => !item.type.startsWith('$'))
  expect(await readByTheSdk(chunks)).toEqual(JSON.parse(JSON.stringify(foldChunks(chunks))))
  const types = chunks.map(({ type }) => type)
  expect(types.indexOf('message-metadata')).toBe(types.indexOf('reasoning-end') - 1)
})

test('interrupted reasoning keeps its duration, and the answer has the duration of the stop', async () => {
  const controller = new AbortController()
  const log = createMemoryLog()
  log.subscribe(({ type }) => type === 'reasoning-delta' && controller.abort(stopNow()))
  const script: ScriptItem[] = [
    { part: { type: 'reasoning-start', id: '0' } },
    { part: { type: 'reasoning-delta', id: '0', delta: 'Hm' } },
    { gate: 'never' },
  ]
  const { message, status } = await play([script], [], { signal: controller.signal, log })
  expect(status).toBe('aborted')
  expect(message.metadata).toMatchObject({ reasoningMs: { '1:0': expect.any(Number) }, aborted: true })
  expect(message.metadata?.stopMs).toBeGreaterThanOrEqual(0)
})

test('a stop takes as long as the slowest call it ends', async () => {
  const controller = new AbortController()
  const slow = probe('Slow', true, [], {
    stopMs: 60,
    execute: () => (setImmediate(() => controller.abort(stopNow())), new Promise(() => undefined)),
  })
  const stopped = await play([[{ call: { name: 'Slow', input: {}, id: 'c1' } }]], [slow], { signal: controller.signal })
  expect(stopped.message.metadata?.stopMs).toBeGreaterThan(50)
  const unknown = new AbortController()
  const other = probe('Other', true, [], { execute: () => (unknown.abort(), new Promise(() => undefined)) })
  const { message } = await play([[{ call: { name: 'Other', input: {}, id: 'c1' } }]], [other], {
    signal: unknown.signal,
  })
  expect(message.metadata).toMatchObject({ aborted: true })
  expect(message.metadata).not.toHaveProperty('stopMs')
})

test('reasoning parts of one step that share an id have distinct names', () => {
  const told: Chunk[] = []
  const emit = timeReasoning(3, (chunk) => told.push(chunk))
  for (const type of ['reasoning-start', 'reasoning-end', 'reasoning-start', 'reasoning-end'] as const)
    emit({ type, id: 'r' })
  emit({ type: 'reasoning-end', id: 'never begun' })
  expect(Object.keys(foldChunks(told).metadata?.reasoningMs ?? {})).toEqual(['3:r', '3:r:2'])
})

async function readByTheSdk(chunks: readonly Chunk[]): Promise<Message> {
  let last: Message | undefined
  const stream = new ReadableStream<Chunk>({
    start(controller) {
      for (const chunk of chunks) controller.enqueue(structuredClone(chunk))
      controller.close()
    },
  })
  for await (const message of readUIMessageStream<Message>({ stream })) last = message
  return JSON.parse(JSON.stringify(last)) as Message
}
