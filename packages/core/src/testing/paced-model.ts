import type {
  LanguageModelV4,
  LanguageModelV4CallOptions,
  LanguageModelV4Content,
  LanguageModelV4GenerateResult,
  LanguageModelV4StreamPart,
} from '@ai-sdk/provider'

export interface PacedModelOptions {
  deltas: number
  /** Characters per delta. Default: 7. */
  size?: number
  /** Pauses every stream after this many deltas until `resume`. */
  pauseAfter?: number
  modelId?: string
}

export interface PacedModel extends LanguageModelV4 {
  /** Pauses streams before their next delta until `resume`. */
  pause(): void
  resume(): void
  paused(streams: number): Promise<void>
}

/** A model for benchmarks. Each delta arrives in its own macrotask, as from a socket, and streams can be paused. */
export function pacedModel(options: PacedModelOptions): PacedModel {
  const { deltas, size = 7, pauseAfter = Infinity } = options
  const words = Array.from({ length: 16 }, (_, index) => wordOf(index, size))
  const held = new Set<() => void>()
  let watchers: { streams: number; resolve: () => void }[] = []
  let pausing = false
  let resumed = false

  function hold(signal: AbortSignal | undefined): Promise<void> {
    return abortable(signal, (done) => {
      held.add(done)
      for (const watcher of watchers) if (held.size >= watcher.streams) watcher.resolve()
      watchers = watchers.filter((watcher) => held.size < watcher.streams)
      return () => held.delete(done)
    })
  }

  function streamFor({ abortSignal }: LanguageModelV4CallOptions): ReadableStream<LanguageModelV4StreamPart> {
    let sent = 0
    return new ReadableStream<LanguageModelV4StreamPart>(
      {
        start(controller) {
          controller.enqueue({ type: 'stream-start', warnings: [] })
          controller.enqueue({ type: 'text-start', id: '0' })
        },
        async pull(controller) {
          await new Promise<void>((resolve) => {
            setImmediate(resolve)
          })
          if (pausing || (sent >= pauseAfter && !resumed)) await hold(abortSignal)
          abortSignal?.throwIfAborted()
          if (sent < deltas) {
            controller.enqueue({ type: 'text-delta', id: '0', delta: words[sent % words.length] as string })
            sent++
            return
          }
          controller.enqueue({ type: 'text-end', id: '0' })
          controller.enqueue({
            type: 'finish',
            finishReason: { unified: 'stop', raw: 'stop' },
            usage: {
              inputTokens: { total: 1, noCache: 1, cacheRead: undefined, cacheWrite: undefined },
              outputTokens: { total: deltas, text: deltas, reasoning: undefined },
            },
          })
          controller.close()
        },
      },
      { highWaterMark: 0 },
    )
  }

  return {
    specificationVersion: 'v4',
    provider: 'scripted',
    modelId: options.modelId ?? 'paced',
    supportedUrls: {},
    doStream: async (request) => ({ stream: streamFor(request) }),
    doGenerate: async (request) => collect(streamFor(request)),
    pause() {
      pausing = true
      resumed = false
    },
    resume() {
      pausing = false
      resumed = true
      for (const done of held) done()
      held.clear()
    },
    paused(streams) {
      if (held.size >= streams) return Promise.resolve()
      return new Promise((resolve) => {
        watchers.push({ streams, resolve })
      })
    },
  }
}

function wordOf(index: number, size: number): string {
  return ` ${'abcdefghijklmnopqrstuvwxyz'.slice(index)}`.padEnd(size, 'o').slice(0, size)
}

/**
 * Starts an operation that calls `done` when it completes. On abort, rejects immediately with the signal's reason and
 * calls the function that `begin` returned, for cleanup.
 */
export async function abortable(
  signal: AbortSignal | undefined,
  begin: (done: () => void) => () => void,
): Promise<void> {
  signal?.throwIfAborted()
  await new Promise<void>((resolve) => {
    const onAbort = () => {
      end()
      resolve()
    }
    signal?.addEventListener('abort', onAbort, { once: true })
    const end = begin(() => {
      signal?.removeEventListener('abort', onAbort)
      resolve()
    })
  })
  signal?.throwIfAborted()
}

export function wait(ms: number, signal: AbortSignal | undefined): Promise<void> {
  if (ms <= 0) return Promise.resolve()
  return abortable(signal, (done) => {
    const timer = setTimeout(done, ms)
    return () => clearTimeout(timer)
  })
}

/** Reads a model's stream to its end into one result, for `doGenerate`. Throws errors inside the stream. */
export async function collect(
  stream: ReadableStream<LanguageModelV4StreamPart>,
): Promise<LanguageModelV4GenerateResult> {
  const content: LanguageModelV4Content[] = []
  const open = new Map<string, { type: 'text' | 'reasoning'; text: string }>()

  for await (const part of stream) {
    switch (part.type) {
      case 'text-start':
      case 'reasoning-start': {
        const block = { type: part.type === 'text-start' ? ('text' as const) : ('reasoning' as const), text: '' }
        open.set(part.id, block)
        content.push(block)
        break
      }
      case 'text-delta':
      case 'reasoning-delta': {
        const block = open.get(part.id)
        if (block) block.text += part.delta
        break
      }
      case 'tool-call':
      case 'tool-result':
      case 'file':
      case 'source':
        content.push(part)
        break
      case 'error':
        throw part.error
      case 'finish':
        return { content, finishReason: part.finishReason, usage: part.usage, warnings: [] }
      default:
    }
  }
  throw new Error('The stream ended before the model had finished.')
}
