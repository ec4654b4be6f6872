import type { LanguageModelV4, LanguageModelV4StreamPart } from '@ai-sdk/provider'
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
  /** Lets every stream run on to its end. */
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

  const hold = () =>
    new Promise<void>((resolve) => {
      held.add(resolve)
      for (const watcher of watchers) if (held.size >= watcher.streams) watcher.resolve()
      watchers = watchers.filter((watcher) => held.size < watcher.streams)
    })

  const doStream: LanguageModelV4['doStream'] = async ({ abortSignal }) => {
    abortSignal?.throwIfAborted()
    let sent = -1
    let letGo: (() => void) | undefined
    const stream = new ReadableStream<LanguageModelV4StreamPart>(
      {
        start(controller) {
          abortSignal?.addEventListener('abort', () => controller.error(abortSignal.reason), { once: true })
        },
        async pull(controller) {
          if (sent < 0) {
            sent = 0
            controller.enqueue({ type: 'stream-start', warnings: [] })
            controller.enqueue({ type: 'text-start', id: '0' })
            return
          }
          await new Promise<void>((resolve) => setImmediate(resolve))
          if (pausing || (sent >= pauseAfter && !resumed)) {
            const holding = hold()
            letGo = [...held].at(-1)
            await holding
          }
          if (abortSignal?.aborted) return
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
        cancel() {
          if (letGo) held.delete(letGo)
        },
      },
      { highWaterMark: 0 },
    )
    return { stream }
  }

  return {
    specificationVersion: 'v4',
    provider: 'scripted',
    modelId: options.modelId ?? 'paced',
    supportedUrls: {},
    doStream,
    doGenerate: async (request) => collect((await doStream(request)).stream),
    pause: () => {
      pausing = true
    },
    resume: () => {
      pausing = false
      resumed = true
      for (const release of held) release()
      held.clear()
    },
    paused: (streams) =>
      held.size >= streams
        ? Promise.resolve()
        : new Promise((resolve) => watchers.push({ streams, resolve })),
  }
}

function wordOf(index: number, size: number): string {
  return (' ' + 'abcdefghijklmnopqrstuvwxyz'.slice(index % 20)).padEnd(size, 'o').slice(0, size)
}
