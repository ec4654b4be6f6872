import type { LanguageModelV4, LanguageModelV4CallOptions } from '@ai-sdk/provider'
import type { Chunk, Message, RunLog, SteeringMessage, StoredMessage } from '@troupe/protocol'
import type { Decision } from '../access/decision.ts'
import type { Hook } from '../hooks/hook.ts'
import type { Price } from '../model/check-answer.ts'
import type { SpendGuard } from '../model/spend-guard.ts'
import type { FileKind } from '../prompt/inline-file.ts'
import type { Asks } from '../tool/asks.ts'
import type { Attachments } from '../tool/documents.ts'
import type { AgentFrame, Agents, Blobs, Vision } from '../tool/services.ts'
import type { Offers } from '../tool/tool-set.ts'
import type { Tool, ToolContext } from '../tool/tool.ts'
import type { Resume } from './resume.ts'
import type { Meter, WriteLock } from './tree-state.ts'

/** Model facts learned from a rejection. `exact`: the provider gave the number. */
export interface LearnedModelFacts {
  contextWindow?: number
  exact?: boolean
  accepts?: readonly FileKind[]
}

export interface Limits {
  /** Maximum model calls in one turn. */
  steps: number
  tokens?: number
  ms?: number
  /** Number of identical steps allowed before their calls are refused. Two more end the turn. */
  repeats: number
}

export const defaultLimits: Limits = { steps: 100, repeats: 4 }

/** Everything one run needs, passed as an argument: two runs in one process never see each other. */
export interface RunInput {
  runId: string
  messageId: string
  session: ToolContext['session']
  workspace: ToolContext['workspace']
  project?: ToolContext['project']
  projects?: ToolContext['projects']
  client?: string
  tab?: string
  page?: string
  /** The master comes first, this agent last. */
  frames: readonly AgentFrame[]
  /** `takes`: input types the model accepts besides text. If unknown, images and PDFs are tried. */
  model: {
    id: string
    model: LanguageModelV4
    /** Identifies the provider address and account. */
    source?: string
    accepts?: readonly FileKind[]
    /** Context window in tokens. If unknown, it is learned when the provider rejects a call as too long. */
    contextWindow?: number
    maxOutputTokens?: number
    /** Price per million tokens. */
    price?: Price
    /** Counts its calls, and stops them when the user's budget is used up. */
    guard?: SpendGuard
    /** Receives model facts from provider rejections, so that the next run knows them. */
    onLearned?(found: LearnedModelFacts): void
  }
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
  /** Offers of open pages, read before every model call. Default: none. */
  offers?: Offers
  /** The branch up to the message to answer. */
  history: readonly StoredMessage[]
  /** Parts emitted at the start of the answer, after `start`. */
  opening?: readonly Chunk[]
  limits?: Partial<Limits>
  /** No person is available: calls that would ask are denied with the reason. */
  headless?: boolean
  /** Abort to stop the run. `abortReason` explains the reasons. */
  signal: AbortSignal
  log: RunLog
  asks: Asks
  blobs?: Blobs
  decide(call: { tool: Tool; input: unknown }, ctx: ToolContext): Promise<Decision> | Decision
  /** Hooks of the user and of trusted projects, in calling order. */
  hooks?: readonly Hook[]
  /** Receives every ask and call. A listener cannot harm the run. */
  events?: RunEvents
  /**
   * Takes the steering messages received since the last step. `ending`: the turn ends unless there is one. If there is
   * none, no message may be accepted from then on.
   */
  steering?(ending: boolean): SteeringMessage[]
  /** Shared by the whole agent tree. Created on the first write. */
  writes?: () => WriteLock
  /** The sub-agents as seen by a call of this run. `waiting` marks the call as waiting for a person. */
  agents?(call: { toolCallId: string; signal: AbortSignal; waiting: () => () => void }): Agents
  /**
   * Called when the turn would end. Resolves to true when background sub-agents have sent, or may have sent, something
   * through `steering`. Resolves to false when none is left.
   */
  idle?(waiting: () => () => void): Promise<boolean>
  /** Counts the spending of this run. Stops it when its budget or an ancestor's is exhausted. */
  meter?: Meter
  /** Reserves a call id for the session. Returns false if it was used before. */
  reserveCallId?(id: string): Promise<boolean>
  /**
   * Reports `waiting` when only a person can advance the run. The message is a version that may be stored meanwhile.
   */
  onStatus?(status: 'running' | 'waiting', message: () => Message): void
  /** State the agent keeps between turns. Default: a new state with its output in the system's temporary folder. */
  state?: () => ToolContext['state']
  settings?: ToolContext['settings']
  /** Removes known secrets from tool results. */
  redact?(text: string): string
  media?: ToolContext['media']
  browser?: ToolContext['browser']
  code?: ToolContext['code']
  documents?: ToolContext['documents']
  printer?: ToolContext['printer']
  pictures?: ToolContext['pictures']
  transcription?: ToolContext['transcription']
  /** Shows attached documents to models that cannot take their files. */
  attachments?: Attachments
  /** Describes images if the model cannot see them and the user allows it. */
  vision?: Vision
  queries?: ToolContext['queries']
  mode?: ToolContext['mode']
  credentials?: ToolContext['credentials']
  resume?: Resume
  /**
   * Called before the turn or one of its calls fails with this error. If the log takes nothing more afterwards, the
   * failure leaves no trace, and the turn can be resumed from what was written.
   */
  onError?(error: unknown): void
  maxRetries?: number
  stallMs?: number
  trace?(line: { level: 'info' | 'warn'; message: string; toolCallId?: string; [key: string]: unknown }): void
}

export interface CallMark {
  sessionId: string
  runId: string
  messageId: string
  /** The master comes first, the calling agent last. */
  agentPath: readonly string[]
  toolCallId: string
  toolName: string
}

/** Events a program can listen to during a run. Asks are answered through the run's `Asks`, not by events. */
export interface RunEventMap {
  'tool:permission:request': CallMark &
    Pick<Decision, 'reason' | 'rule' | 'remember' | 'commands'> & {
      askId: string
      input: unknown
      title: string
      summary?: string
      content?: unknown
    }
  /** The person answered. `automatic`: a rule, a hook or the absence of a person refused, and nobody was asked. */
  'tool:permission:response': CallMark & {
    askId: string
    approved: boolean
    automatic?: true
    reason?: string
    remember?: 'session' | 'project' | 'always'
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
  /** The call failed. `content` is the text the model reads. */
  'tool:execution:error': CallMark & { title: string; content: string }
}

export type RunEventName = keyof RunEventMap

/** Event sink of a run, compatible with Node's `EventEmitter`. Errors and rejections from `emit` are traced. */
export interface RunEvents {
  emit<Name extends RunEventName>(name: Name, event: RunEventMap[Name]): unknown
}

/** Emitter whose listeners may be async and cannot harm each other or the run. */
export class RunEmitter implements RunEvents {
  #listeners = new Map<RunEventName, Set<(event: never) => unknown>>()

  /** Returns a function that removes the listener. */
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

  /** Calls all listeners at once. After all have been called, rejects with the first failure. */
  emit<Name extends RunEventName>(name: Name, event: RunEventMap[Name]): Promise<unknown> | undefined {
    const listeners = this.#listeners.get(name)
    if (listeners === undefined || listeners.size === 0) return undefined
    return Promise.all([...listeners].map(async (listener) => listener(event as never)))
  }
}
