import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { parseJsonEventStream } from '@ai-sdk/provider-utils'
import { UI_MESSAGE_STREAM_HEADERS, type UIMessageChunk, uiMessageChunkSchema } from 'ai'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { anyText } from '../testing/arbitrary-json.ts'
import { anyLog } from '../testing/arbitrary-log.ts'
import { cost, patience, runs } from '../testing/test-effort.ts'
import type { Chunk } from './message.ts'
import { formatEvent, readEvents, type StreamEvent } from './run-log.ts'

const chunks: Chunk[] = [
  { type: 'start', messageId: 'm' },
  { type: 'text-start', id: '0' },
  { type: 'text-delta', id: '0', delta: 'Grüße 😀 データ\r\n\r\n"quoted" \u2028 id: 7\ndata: [DONE]\n\n' },
  { type: 'text-end', id: '0' },
  { type: 'finish' },
]
const events = chunks.map((chunk, index): StreamEvent => ({ number: index + 1, chunk }))
const stream = `${events.map(({ number, chunk }) => `: keep-alive\n\n${formatEvent(number as number, chunk)}`).join('')}data: [DONE]\n\n`

describe('events', () => {
  it('round-trip byte by byte, split inside characters', async () => {
    expect(await read(split(bytes(stream), 1))).toEqual(events)
  })

  it('round-trip for every split into two', async () => {
    const all = bytes(stream)
    for (let at = 0; at <= all.length; at++) expect(await read([all.subarray(0, at), all.subarray(at)])).toEqual(events)
  })

  it('round-trip for every log and every way to split it', { timeout: patience }, async () => {
    await fc.assert(
      fc.asyncProperty(
        anyLog,
        fc.array(fc.integer({ min: 0, max: 40 }), { minLength: 1, maxLength: 20 }),
        async (log, sizes) => {
          const text = log.map((chunk, index) => formatEvent(index, chunk)).join('')
          expect((await read(split(bytes(text), ...sizes))).map(({ chunk }) => chunk)).toEqual(log)
        },
      ),
      runs(60),
    )
  })

  it('may end their lines with CRLF, split anywhere', async () => {
    const all = bytes(stream.replaceAll('\n', '\r\n'))
    expect(await read([all])).toEqual(events)
    expect(await read(split(all, 1))).toEqual(events)
  })

  it('are ignored if they are comments, unknown fields or the end marker', async () => {
    const text = [
      '\ufeff: hello\n\n',
      'event: message\nretry: 5\ndata:{"type":"abort"}\n\n',
      'id: 3\n\n',
      'id\ndata\n\n',
      'data: [DONE]\n\n',
      '\n\n\n',
    ].join('')
    expect(await read([bytes(text)])).toEqual([{ number: undefined, chunk: { type: 'abort' } }])
  })

  it('have an id only if it is a number, and never that of the previous event', async () => {
    const text = ['7', '', 'x', '1.5', '1e400'].map((id) => `id: ${id}\ndata: {"type":"abort"}\n\n`).join('')
    const numbers = (await read([bytes(`${text}data: {"type":"abort"}\n\n`)])).map(({ number }) => number)
    expect(numbers).toEqual([7, undefined, undefined, undefined, undefined, undefined])
  })

  it('may spread their data over lines', async () => {
    expect(await read([bytes('id: 1\ndata: {"type":\ndata: "abort"}\n\n')])).toEqual([
      { number: 1, chunk: { type: 'abort' } },
    ])
  })

  it('that the end of the stream cut off are dropped', async () => {
    expect(await read([bytes('id: 1\ndata: {"type":"abort"}\n\nid: 2\ndata: {"type":"ab')])).toHaveLength(1)
    expect(await read([bytes('id: 1\ndata: {"type":"abort"}\n')])).toHaveLength(0)
  })

  it('are the events that the AI SDK reads from the same bytes', async () => {
    const read: UIMessageChunk[] = []
    const results = parseJsonEventStream({ stream: body(split(bytes(stream), 7)), schema: uiMessageChunkSchema })
    for await (const result of results) if (result.success) read.push(result.value)
    expect(read).toEqual(chunks)
  })
})

describe('an invalid stream', () => {
  it.each([
    ['broken JSON', 'id: 4\ndata: {"secret": "abc"\n\n', 'Event 4 of the stream is not valid JSON (16 characters).'],
    ['a page', 'data: <html>\n\n', 'An event of the stream is not valid JSON (6 characters).'],
    ['a number', 'id: 4\ndata: 5\n\n', 'Event 4 of the stream is not a chunk: it has no type.'],
    ['null', 'data: null\n\n', 'An event of the stream is not a chunk: it has no type.'],
    ['no type', 'data: {"type": 1}\n\n', 'An event of the stream is not a chunk: it has no type.'],
  ])('is a clear error: %s', async (_, text, message) => {
    let cancelled = false
    const source = body([bytes(`id: 1\ndata: {"type":"abort"}\n\n${text}`)], () => (cancelled = true))
    const seen: StreamEvent[] = []
    const reading = (async () => {
      for await (const event of readEvents(source)) seen.push(event)
    })()
    await expect(reading).rejects.toThrow(new Error(message))
    expect(seen).toHaveLength(1)
    expect(cancelled).toBe(true)
  })

  it('passes on the error of its source', async () => {
    const source = new ReadableStream<Uint8Array>({
      pull: (controller) => controller.error(new Error('the network went')),
    })
    await expect(Array.fromAsync(readEvents(source))).rejects.toThrow('the network went')
  })
})

describe('a reader that stops', () => {
  it('cancels the body', async () => {
    let cancelled = false
    for await (const { chunk } of readEvents(body([bytes(stream)], () => (cancelled = true)))) {
      if (chunk.type === 'text-start') break
    }
    expect(cancelled).toBe(true)
  })

  it('closes the connection', async () => {
    const closed = Promise.withResolvers<void>()
    const server = createServer((_, response) => {
      response.writeHead(200, UI_MESSAGE_STREAM_HEADERS)
      response.write(formatEvent(1, { type: 'abort' }))
      response.on('close', () => closed.resolve())
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    try {
      const response = await fetch(`http://127.0.0.1:${(server.address() as AddressInfo).port}`)
      for await (const event of readEvents(response.body as ReadableStream<Uint8Array>)) {
        expect(event).toEqual({ number: 1, chunk: { type: 'abort' } })
        break
      }
      await closed.promise
    } finally {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    }
  })
})

describe('the cost of reading', () => {
  it('is linear in the length of an event, for chunks of any size', async () => {
    const event = (size: number): Uint8Array[] =>
      split(bytes(formatEvent(1, { type: 'text-delta', id: '0', delta: 'x'.repeat(size) })), 1000)
    const small = event(500_000)
    const large = event(5_000_000)
    const perSmall = await cost(() => read(small))
    const perLarge = (await cost(() => read(large))) / 10
    expect((await read(large))[0]?.chunk).toMatchObject({ delta: 'x'.repeat(5_000_000) })
    expect(perLarge).toBeLessThan(Math.max(3 * perSmall, 10))
  })

  it('is linear in the number of events of one buffer', async () => {
    const buffer = (count: number): Uint8Array[] => [
      bytes(formatEvent(1, { type: 'text-delta', id: '0', delta: 'word ' }).repeat(count)),
    ]
    const small = buffer(5_000)
    const large = buffer(50_000)
    const perSmall = await cost(() => read(small))
    const perLarge = (await cost(() => read(large))) / 10
    expect(await read(large)).toHaveLength(50_000)
    expect(perLarge).toBeLessThan(Math.max(3 * perSmall, 10))
  })
})

describe('one event', () => {
  it('is one block of lines, for any text', () => {
    fc.assert(
      fc.property(anyText, (text) => {
        const event = formatEvent(1, { type: 'text-delta', id: text, delta: `${text}\r\n\n${text}` })
        expect(event.split(/\r?\n\r?\n/)).toHaveLength(2)
        expect(event.split(/[\r\n]/)).toHaveLength(4)
      }),
      runs(200),
    )
  })
})

function bytes(text: string): Uint8Array {
  return new TextEncoder().encode(text)
}

function body(pieces: readonly Uint8Array[], onCancel?: () => void): ReadableStream<Uint8Array> {
  let next = 0
  return new ReadableStream({
    pull(controller) {
      const piece = pieces[next++]
      if (piece !== undefined) controller.enqueue(piece)
      // A cancelable body must stay open.
      else if (onCancel === undefined) controller.close()
    },
    cancel: () => onCancel?.(),
  })
}

function split(all: Uint8Array, ...sizes: number[]): Uint8Array[] {
  const pieces: Uint8Array[] = []
  for (let at = 0, turn = 0; at < all.length; turn++) {
    const size = sizes.every((one) => one === 0) ? 1 : (sizes[turn % sizes.length] as number)
    pieces.push(all.subarray(at, at + size))
    at += size
  }
  return pieces
}

function read(pieces: readonly Uint8Array[]): Promise<StreamEvent[]> {
  return Array.fromAsync(readEvents(body(pieces)))
}
