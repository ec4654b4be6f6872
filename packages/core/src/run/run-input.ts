import type { LanguageModelV4, LanguageModelV4CallOptions } from '@ai-sdk/provider'
import type { Chunk, Message, RunLog, SteeringMessage, StoredMessage } from '@troupe/protocol'
import type { Decision } from '../access/decision.ts'
import type { Hook } from '../hooks/hook.ts'
import type { Price } from '../model/check-answer.ts'
import type { FileKind } from '../prompt/prompt-files.ts'
import type { Asks } from '../tool/asks.ts'
import type { AgentFrame, Agents, Blobs } from '../tool/services.ts'
import type { Offers } from '../tool/tool-search.ts'
import type { Tool, ToolContext } from '../tool/tool.ts'
import type { Meter } from './meter.ts'
import type { Resume } from './resume.ts'

/** What a refusal says of a model. `exact`: the provider gave the number. */
export interface LearnedModelFacts {
  contextWindow?: number
  exact?: boolean
  takes?: readonly FileKind[]
}

export interface Limits {
  /** Model calls in one turn. */
  steps: number
  tokens?: number
  ms?: number
  /** How often the same step may be repeated before its calls are refused; two more end the turn. */
  repeats: number
}

export const defaultLimits: Limits = { steps: 100, repeats: 4 }

/** Everything one run needs, handed to it: two runs in one process never see each other. */
export interface RunInput {
  runId: string
  /** The id of the answer. */
  messageId: string
  session: ToolContext['session']
  workspace: ToolContext['workspace']
  client?: string
  tab?: string
  page?: string
  /** Master first, this agent last. */
  frames: readonly AgentFrame[]
  /** `takes`: what the model can look at besides text; unknown: images and PDFs are tried. */
  model: {
    id: string
    model: LanguageModelV4
    /** Tells address and account apart from all others. */
    source?: string
    takes?: readonly FileKind[]
    /** Tokens that one call may hold; unknown: found out when the provider refuses a call as too long. */
    contextWindow?: number
    maxOutputTokens?: number
    /** For a million tokens. */
    price?: Price
    /** Told what the provider's refusals say of the model, so that the next run knows it. */
    onLearned?(found: LearnedModelFacts): void
  }
  /** Settings of the model call: temperature, provider options and so on. */
  callOptions?: Partial<
    Pick<
      LanguageModelV4CallOptions,
      | 'providerOptions'
      | 'maxOutputTokens'
      | 'temperature'
      | 'topP'
      | 'topK'
      | 'presencePenalty'
      | 'frequencyPenalty'
      | 'seed'
      | 'stopSequences'
      | 'reasoning'
    >
  >
  instructions?: string
  tools: readonly Tool[]
  /** What open pages offer. Asked for every model call. Default: nothing. */
  offers?: Offers
  /** The branch up to the message that is answered. */
  history: readonly StoredMessage[]
  /** Parts that open the answer, after `start`. */
  opening?: readonly Chunk[]
  limits?: Partial<Limits>
  /** Nobody is there to ask: what would ask is denied with the reason. */
  headless?: boolean
  /** Aborted to stop the run. What the reason means: see `endingOf`. */
  signal: AbortSignal
  log: RunLog
  asks: Asks
  blobs?: Blobs
  decide(call: { tool: Tool; input: unknown }, ctx: ToolContext): Promise<Decision> | Decision
  /** Of the person, and of projects that they trust; in the order in which they are asked. */
  hooks?: readonly Hook[]
  /** Hears of every ask and every call. A listener cannot harm the run. */
  events?: RunEvents
  /**
   * Takes the steering messages that have come since the last step. `ending`: the turn ends unless there is one; when
   * there is none, nothing may be accepted from then on.
   */
  steering?(ending: boolean): SteeringMessage[]
  /** Shared by a whole tree of agents; made when the first write needs it. */
  writes?: () => WriteLock
  /** The sub-agents as a call of this run sees them. `waiting` marks the call as waiting for a person. */
  agents?(call: { toolCallId: string; signal: AbortSignal; waiting: () => () => void }): Agents
  /**
   * The turn would end. Resolves true when something has come or may have come through `steering` from sub-agents that
   * work in the background, false when none is left.
   */
  idle?(waiting: () => () => void): Promise<boolean>
  /** Counts what this run spends, and stops it where its budget or that of an agent above it is used up. */
  meter?: Meter
  /** Takes a call id for the session; false when it was used before. */
  takeCallId?(id: string): Promise<boolean>
  /** `waiting` when only a person can move the run on; the message is what may be stored meanwhile. */
  onStatus?(status: 'running' | 'waiting', message: () => Message): void
  /** What the agent remembers from earlier turns. Default: a new state, with its output in the system's temporary folder. */
  state?: () => ToolContext['state']
  settings?: ToolContext['settings']
  /** Takes known secrets out of what tools bring back. */
  redact?(text: string): string
  media?: ToolContext['media']
  browser?: ToolContext['browser']
  mode?: ToolContext['mode']
  credentials?: ToolContext['credentials']
  /** Where an unfinished run goes on. */
  resume?: Resume
  maxRetries?: number
  stallMs?: number
  /** Structured log lines of this run. */
  trace?(line: { level: 'info' | 'warn'; message: string; toolCallId?: string; [key: string]: unknown }): void
}

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

/** Serialises what a whole tree of agents writes. */
export interface WriteLock {
  /** Waits for its turn. Rejects with the signal's reason when that comes first, and then never begins. */
  run<T>(work: () => Promise<T>, signal: AbortSignal): Promise<T>
}

export function createWriteLock(): WriteLock {
  let last: Promise<unknown> = Promise.resolve()
  return {
    async run(work, signal) {
      const before = last
      const mine = Promise.withResolvers<void>()
      last = before.then(() => mine.promise)
      try {
        await waitForTurn(before, signal)
        return await work()
      } finally {
        mine.resolve()
      }
    },
  }
}

async function waitForTurn(before: Promise<unknown>, signal: AbortSignal): Promise<void> {
  signal.throwIfAborted()
  const { promise, reject } = Promise.withResolvers<never>()
  const onAbort = (): void => reject(signal.reason as Error)
  signal.addEventListener('abort', onAbort, { once: true })
  try {
    await Promise.race([before, promise])
  } finally {
    signal.removeEventListener('abort', onAbort)
  }
}
