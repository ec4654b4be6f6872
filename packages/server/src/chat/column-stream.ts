import type { Store } from '@troupe/core'
import type { Chunk, Comparison } from '@troupe/protocol'
import type { Sink } from '../http/route.ts'
import type { LiveRun } from '../runs/run-manager.ts'
import type { RunManager } from '../runs/run-types.ts'

type ColumnRun = Pick<LiveRun, 'messageId' | 'userMessageId' | 'subscribe'>

interface ColumnRuns {
  all(sessionId: string): readonly ColumnRun[]
  watch: RunManager['watch']
}

interface ColumnStream {
  sessionId: string
  /** The message that the columns answer. */
  userMessageId: string
  /** Runs of the columns. One that ends before the stream opens is also streamed. */
  started?: readonly ColumnRun[] | undefined
  /** Numbers that the client has, one per column. */
  after: readonly number[]
  untilWaiting: boolean
}

/**
 * Streams all columns of a comparison on one connection, since browsers open only six. Each chunk comes in a
 * `data-column` part with the number of its own log. Columns that start later are added. Ends with `finish` once no
 * column is left.
 */
export function streamColumns(
  { sessionId, userMessageId, started = [], after, untilWaiting }: ColumnStream,
  { store, runs }: { store: Store; runs: ColumnRuns },
): (sink: Sink) => () => void {
  return (sink) => {
    const drained: (() => void)[] = []
    const open = new Map<ColumnRun, () => void>()
    const seen = new Set<ColumnRun>()
    let isClosed = false
    let told = ''
    let telling = tell()
    const stopWatching = runs.watch(sessionId, () => void (telling = telling.then(tell)))
    return close

    /** Announces the columns before their chunks, so that readers know where those belong. */
    async function tell(): Promise<void> {
      try {
        const question = await store.messages.get({ sessionId }, userMessageId)
        if (isClosed) return
        const text = comparisonEvent(userMessageId, question?.metadata?.comparison)
        if (text !== told) sink.write(text)
        told = text
        for (const run of [...started, ...runs.all(sessionId)])
          if (run.userMessageId === userMessageId && !seen.has(run)) add(run)
        endIfDone()
      } catch {
        // The client reconnects with the numbers it has.
        end()
      }
    }

    function add(run: ColumnRun): void {
      seen.add(run)
      let isOver = false
      const detach = run.subscribe(
        {
          write: (text) => sink.write(inColumn(text, run.messageId)),
          onDrain,
          cut() {
            close()
            sink.cut()
          },
          end() {
            isOver = true
            open.delete(run)
            void telling.then(endIfDone)
          },
        },
        { after, untilWaiting },
      )
      if (!isOver) open.set(run, detach)
    }

    function endIfDone(): void {
      if (isClosed || open.size > 0) return
      const isLive = runs.all(sessionId).some((run) => run.userMessageId === userMessageId)
      if (isLive && !untilWaiting) return
      if (!isLive) sink.write(`data: ${JSON.stringify({ type: 'finish' } satisfies Chunk)}\n\n`)
      end()
    }

    function end(): void {
      if (isClosed) return
      close()
      sink.end()
    }

    function close(): void {
      isClosed = true
      stopWatching()
      for (const detach of open.values()) detach()
      open.clear()
    }

    /** A sink calls back only once. */
    function onDrain(callback: () => void): void {
      drained.push(callback)
      if (drained.length > 1) return
      sink.onDrain(() => {
        for (const one of drained.splice(0)) one()
      })
    }
  }
}

function comparisonEvent(messageId: string, comparison: Comparison = { answers: [] }): string {
  return `data: ${JSON.stringify({ type: 'data-comparison', data: { messageId, ...comparison }, transient: true })}\n\n`
}

/** Wraps each event of a log. JSON contains no line breaks, so each line with data is one chunk. */
function inColumn(text: string, messageId: string): string {
  const head = `data: {"type":"data-column","data":{"messageId":${JSON.stringify(messageId)},"chunk":`
  return text.replaceAll(/^data: (\{.*)$/gm, (_, chunk: string) => `${head}${chunk}},"transient":true}`)
}
