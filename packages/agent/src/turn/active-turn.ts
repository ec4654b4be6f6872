import type { Usage } from '@troupe/protocol'
import type { OutputProblem } from '../output/ensure.ts'
import type { ReplayBuffer } from '../output/event-queue.ts'
import type { OutputStream } from '../output/output-stream-types.ts'
import type { ToolLog } from './tool-registry.ts'
import type { Emission, Extension, TurnContext, TurnEvent, TurnSpec } from './turn.ts'

export interface Emitter {
  /** Sends the event to every reader, then to the suffix handlers of its type. */
  emit(event: TurnEvent): void
  handle(emission: Emission): Promise<void>
  /** Resolves when all suffix handlers have ended. Rejects with the first error of one. */
  settled(): Promise<void>
}

/** `onFailure` is called immediately when a suffix handler fails. */
export function createEmitter(
  events: ReplayBuffer<TurnEvent>,
  extensions: readonly Extension[],
  ctx: TurnContext,
  onFailure: () => void,
): Emitter {
  const suffixes = extensions.flatMap(({ broadcastSuffix }) => (broadcastSuffix === undefined ? [] : [broadcastSuffix]))
  const open: Promise<void>[] = []
  return {
    emit(event) {
      events.push(event)
      for (const suffix of suffixes) {
        const handler = suffix[event.type] as ((event: TurnEvent, ctx: TurnContext) => Emission) | undefined
        if (handler !== undefined) follow(handler, event)
      }
    },
    handle: take,
    async settled() {
      await Promise.all(open)
    },
  }

  function follow(handler: (event: TurnEvent, ctx: TurnContext) => Emission, event: TurnEvent): void {
    let work: Promise<void>
    try {
      const emission = handler(event, ctx)
      if (emission === undefined) return
      work = take(emission)
    } catch (error) {
      work = Promise.reject(error as Error)
    }
    work.catch(onFailure)
    open.push(work)
  }

  async function take(emission: Emission): Promise<void> {
    const added = await emission
    if (added === undefined) return
    if ('type' in added) return events.push(added)
    for await (const event of added) events.push(event)
  }
}

export interface AttemptAbort {
  reason: 'invalid' | 'satisfied' | 'failed' | undefined
  problems: OutputProblem[]
  now(reason: NonNullable<AttemptAbort['reason']>): void
}

export interface TurnRequest {
  id: string
  spec: TurnSpec
  signal: AbortSignal
  events: ReplayBuffer<TurnEvent>
  out: OutputStream<unknown>
  cut: AttemptAbort
  /** Total of all requests so far. */
  usage(): Usage | undefined
  addUsage(usage: Usage | undefined): void
}

export interface ActiveTurn extends TurnRequest {
  ctx: TurnContext
  emitter: Emitter
  tool(log: ToolLog): void
}
