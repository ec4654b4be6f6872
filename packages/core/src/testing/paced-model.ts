import type { LanguageModelV4, LanguageModelV4CallOptions, LanguageModelV4StreamPart } from '@ai-sdk/provider'
import { abortable } from './abortable.ts'
import { collect } from './collect.ts'

export interface PacedModelOptions {
  /** How many deltas each call streams. */
  deltas: number
  /** Characters per delta. Default 7. */
  size?: number
  /** Every stream stops after this many deltas until `resume`. */
  pauseAfter?: number
  modelId?: string
}

export interface PacedModel extends LanguageModelV4 {
  /** Streams stop before their next delta until `resume`. */
  pause(): void
  /** Lets every stream run on. */
  resume(): void
  /** Resolves when at least this many streams stand still. */
  paused(streams: number): Promise<void>
}

/** A model for benchmarks: each delta comes in a macrotask of its own, as from a socket, and streams can be held. */
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
