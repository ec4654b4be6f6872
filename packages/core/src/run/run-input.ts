import type { LanguageModelV4, LanguageModelV4CallOptions } from '@ai-sdk/provider'
import type { AgentFrame } from '../agent-frame.ts'
import type { Asks } from '../asks.ts'
import type { Blobs } from '../blobs.ts'
import type { Hook } from '../hooks/hook.ts'
import type { Offers } from '../mcp/tool-search.ts'
import type { Decision } from '../permission/decision.ts'
import type { Chunk, Message, StoredMessage } from '../protocol/message.ts'
import type { RunLog, SteeringMessage } from '../run-log.ts'
import type { Tool, ToolContext } from '../tool.ts'
import type { FileKind } from './load-files.ts'
import type { Resume } from './resume.ts'
import type { RunEvents } from './run-events.ts'
import type { Price } from './usage.ts'
import type { Agents } from '../sub-agents/agents.ts'
import type { Meter } from '../sub-agents/meter.ts'
import type { WriteLock } from './write-lock.ts'

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
