import { createJsonReader, createOutputStream, outputSchema } from '@troupe/agent'
import { Output, streamText } from 'ai'
import { MockLanguageModelV4 } from 'ai/test'
import { z } from 'zod'
import { BareTokenizer } from './bare-tokenizer.ts'
import { times } from './measure.ts'

const sizes = [5.5, 100, 1000]
const rounds = 60

const source = z.object({
  thinking: z.string(),
  items: z.array(
    z.object({
      title: z.string(),
      summary: z.string(),
      score: z.number(),
      tags: z.array(z.string()),
      done: z.boolean(),
      note: z.string().nullable(),
    }),
  ),
})
const schema = outputSchema(source)

/** Returns a typical model answer: objects with a title, a paragraph, a number, a short list, a few escapes. */
function answer(kilobytes: number): string {
  const items: unknown[] = []
  for (let i = 0, size = 60; size < kilobytes * 1024; i++) {
    const item = {
      title: `Item number ${i} with a title`,
      summary: `What item ${i} is about, in a paragraph as a model writes it: two or three sentences, a "quote" now and then, a line\nbreak. It says what was found, where it was found and why it matters for the question that was asked.`,
      score: i / 7,
      tags: ['alpha', 'beta', `t${i}`],
      done: i % 2 === 0,
      note: null,
    }
    items.push(item)
    size += JSON.stringify(item).length + 1
  }
  return JSON.stringify({ thinking: 'First this, then that.', items })
}

const chunksOf = (text: string): string[] =>
  Array.from({ length: Math.ceil(text.length / 4) }, (_, i) => text.slice(i * 4, i * 4 + 4))

const texts = new Map(sizes.map((size) => [size, chunksOf(answer(size))]))

function ours(chunks: readonly string[]): void {
  let letters = 0
  const reader = createJsonReader({
    schema,
    onEvent: (event) => {
      if (event.type === 'value') letters += event.delta.length
    },
  })
  for (const chunk of chunks) reader.write(chunk)
  if (reader.end().completion !== 'observed' || letters === 0) throw new Error('the answer was not read')
}

function bare(chunks: readonly string[]): void {
  let tokens = 0
  const tokenizer = new BareTokenizer(() => tokens++)
  for (const chunk of chunks) tokenizer.write(chunk)
  if (tokens === 0) throw new Error('the answer was not read')
}

/** Returns microseconds per KB: the best of several alternating rounds, because other programs use this machine too. */
function measure(): Map<number, { ours: number; bare: number }> {
  const best = new Map(sizes.map((size) => [size, { ours: Infinity, bare: Infinity }]))
  for (let round = 0; round < rounds; round++) {
    for (const [size, chunks] of texts) {
      const figures = best.get(size) as { ours: number; bare: number }
      const repeats = Math.max(1, Math.round(200 / size))
      figures.ours = Math.min(
        figures.ours,
        perKilobyte(() => ours(chunks), size, repeats),
      )
      figures.bare = Math.min(
        figures.bare,
        perKilobyte(() => bare(chunks), size, repeats),
      )
    }
  }
  return best
}

function perKilobyte(work: () => void, size: number, repeats: number): number {
  const begun = performance.now()
  for (let i = 0; i < repeats; i++) work()
  return ((performance.now() - begun) * 1000) / repeats / size
}

let measured: ReturnType<typeof measure> | undefined

const figures = (pick: 'ours' | 'bare'): string =>
  [...(measured ?? [])].map(([size, figure]) => `${figure[pick].toFixed(1)} µs/KB at ${size} KB`).join(', ')

/** Returns milliseconds for a reader of `instant()` that takes every event before the next chunk comes. */
async function instant(chunks: readonly string[]): Promise<number> {
  const stream = createOutputStream({ schema })
  const events = stream.instant()
  const begun = performance.now()
  let values = 0
  const reading = (async () => {
    for await (const event of events) if (event.type === 'value') values++
  })()
  for (const chunk of chunks) {
    stream.write(chunk)
    await Promise.resolve()
  }
  stream.close()
  await reading
  if (values < chunks.length / 2) throw new Error('events are missing')
  return performance.now() - begun
}

/** Measures `partialOutputStream` up to a limit in milliseconds. Returns the time and the fraction of the text read. */
async function partials(chunks: readonly string[], limit: number): Promise<{ ms: number; part: number }> {
  let sent = 0
  const usage = {
    inputTokens: { total: 1, noCache: 1, cacheRead: undefined, cacheWrite: undefined },
    outputTokens: { total: 1, text: 1, reasoning: undefined },
  }
  const begun = performance.now()
  const isOver = (): boolean => performance.now() - begun > limit
  const model = new MockLanguageModelV4({
    doStream: () => {
      const stream = new ReadableStream({
        start: (controller) => {
          controller.enqueue({ type: 'stream-start', warnings: [] })
          controller.enqueue({ type: 'text-start', id: '0' })
        },
        pull: (controller) => {
          if (sent < chunks.length && !isOver()) {
            controller.enqueue({ type: 'text-delta', id: '0', delta: chunks[sent++] as string })
            return
          }
          controller.enqueue({ type: 'text-end', id: '0' })
          controller.enqueue({ type: 'finish', finishReason: { unified: 'stop', raw: 'stop' }, usage })
          controller.close()
        },
      })
      return Promise.resolve({ stream })
    },
  })
  const result = streamText({ model, prompt: 'go', output: Output.object({ schema: source }) })
  for await (const partial of result.partialOutputStream) if (partial === null) throw new Error('no partial')
  return { ms: performance.now() - begun, part: sent / chunks.length }
}

export const benches = [
  {
    name: 'structured answer in 4-letter chunks, all events: time per KB from 5.5 KB to 1 MB',
    bar: 'constant within 1.5x',
    run: () => {
      measured ??= measure()
      const all = [...measured.values()].map((figure) => figure.ours)
      const ratio = Math.max(...all) / Math.min(...all)
      return Promise.resolve({ value: times(ratio), ok: ratio <= 1.5, detail: figures('ours') })
    },
  },
  {
    name: 'structured answer: against a bare tokenizer without paths or events',
    bar: 'at most 3x at each size',
    run: () => {
      measured ??= measure()
      const ratio = Math.max(...[...measured.values()].map((figure) => figure.ours / figure.bare))
      return Promise.resolve({ value: times(ratio), ok: ratio <= 3, detail: `bare: ${figures('bare')}` })
    },
  },
  {
    name: 'structured answer of 100 KB: instant() against AI SDK partialOutputStream',
    bar: 'at least 20x faster',
    run: async () => {
      const chunks = texts.get(100) as string[]
      let own = Infinity
      for (let round = 0; round < 5; round++) own = Math.min(own, await instant(chunks))
      const { ms, part } = await partials(chunks, Math.max(5000, own * 40))
      const ratio = ms / own
      const rest = part < 1 ? `, stopped after ${(part * 100).toFixed(0)} % of the text` : ''
      return {
        value: `${part < 1 ? 'more than ' : ''}${times(ratio)}`,
        ok: ratio >= 20,
        detail: `${own.toFixed(1)} ms against ${ms.toFixed(0)} ms${rest}`,
      }
    },
  },
]
