import type { Decision } from '../permission/decision.ts'

/** Which call an event is about. */
export interface CallMark {
  sessionId: string
  runId: string
  messageId: string
  /** Master first, the calling agent last. */
  agentPath: readonly string[]
  toolCallId: string
  toolName: string
}

/** What a program can listen to while a run goes on. Asks are answered through the run's `Asks`, not by events. */
export interface RunEventMap {
  /** A person is asked. */
  'tool:permission:request': CallMark &
    Pick<Decision, 'reason' | 'rule' | 'remember' | 'commands'> & {
      /** The ask that is to be answered. */
      askId: string
      input: unknown
      title: string
      summary?: string
      content?: unknown
    }
  /** The person has answered; `automatic`: nobody was asked, a rule, a hook or the absence of a person refused. */
  'tool:permission:response': CallMark & {
    askId: string
    approved: boolean
    automatic?: true
    /** What the person said, or why it was refused. */
    reason?: string
    remember?: 'session' | 'project' | 'always'
    /** What the person made of the input. */
    input?: unknown
  }
  'tool:execution:start': CallMark & { input: unknown }
  'tool:execution:complete': CallMark & {
    title: string
    summary?: string
    content?: unknown
    output: unknown
    elapsedMs: number
  }
  /** The call failed; `content` is what the model reads. */
  'tool:execution:error': CallMark & { title: string; content: string }
}

export type RunEventName = keyof RunEventMap

/** Where a run tells its events. Node's `EventEmitter` is one; what `emit` throws or rejects with is traced. */
export interface RunEvents {
  emit<Name extends RunEventName>(name: Name, event: RunEventMap[Name]): unknown
}

/** Listeners that cannot harm each other or the run, and may be async. */
export class RunEmitter implements RunEvents {
  #listeners = new Map<RunEventName, Set<(event: never) => unknown>>()

  /** Returns what takes the listener away again. */
  on<Name extends RunEventName>(name: Name, listener: (event: RunEventMap[Name]) => unknown): () => void {
    const listeners = this.#listeners.get(name) ?? new Set()
    this.#listeners.set(name, listeners.add(listener))
    return () => this.off(name, listener)
  }

  once<Name extends RunEventName>(name: Name, listener: (event: RunEventMap[Name]) => unknown): () => void {
    const off = this.on(name, (event) => {
      off()
      return listener(event)
    })
    return off
  }

  off<Name extends RunEventName>(name: Name, listener: (event: RunEventMap[Name]) => unknown): void {
    this.#listeners.get(name)?.delete(listener)
  }

  /** Calls every listener at once. Rejects with the first failure of one, when all have been called. */
  emit<Name extends RunEventName>(name: Name, event: RunEventMap[Name]): Promise<unknown> | undefined {
    const listeners = this.#listeners.get(name)
    if (listeners === undefined || listeners.size === 0) return undefined
    return Promise.all([...listeners].map(async (listener) => listener(event as never)))
  }
}
