import type { OutputKeys } from '../output/output-keys.ts'
import type { PathStyle } from '../output/instant-event.ts'
import type { Message, Usage } from '../protocol/message.ts'
import type { Slots } from './slots.ts'
import type { ToolLog } from './tool-log.ts'
import type { Turn } from './turn.ts'

/** What happens in a run, in order. */
export type TurnEvent =
  | { readonly type: 'delta'; readonly delta: string }
  | { readonly type: 'reasoning'; readonly delta: string }
  /** A tool has its result. */
  | { readonly type: 'tool'; readonly log: ToolLog }
  /** Another request follows within the answer, since tools were called. */
  | { readonly type: 'step'; readonly step: number }
  /** The answer so far was not accepted: whatever was told of it no longer counts. */
  | { readonly type: 'reset'; readonly reason: string; readonly attempt: number }
  /** The provider failed before its first byte and is asked again. */
  | { readonly type: 'retry'; readonly attempt: number; readonly delayMs: number; readonly message: string }
  /** Something did not go as it should, and the answer is given nevertheless. */
  | { readonly type: 'warning'; readonly message: string }
  | { readonly type: 'done'; readonly text: string; readonly data: unknown }
  /** Of an extension. */
  | { readonly type: 'custom'; readonly name: string; readonly data: unknown }

type EventOf<Type extends TurnEvent['type']> = Extract<TurnEvent, { type: Type }>

/** Events that a handler adds: none, one, or several as they come. */
export type Emission =
  | void
  | TurnEvent
  | Iterable<TurnEvent>
  | AsyncIterable<TurnEvent>
  | Promise<void | TurnEvent | Iterable<TurnEvent>>

/** One run as its handlers see it. Two runs never share one. */
export interface TurnContext {
  readonly id: string
  readonly agent: string
  readonly signal: AbortSignal
  /** The session that this run belongs to; made for the run where there is none. */
  session: string
  /** The prompt of this run: `requestPrefix` may put another one in its place. */
  prompt: Slots
  /** Ends up in the result. */
  readonly extra: Record<string, unknown>
  readonly toolLogs: ToolLog[]
  /** An empty turn on the same model, without the agent's prompt, tools and extensions: for requests of one's own. */
  turn(): Turn
  /** Counts another request's tokens in. */
  addUsage(usage: Usage | undefined): void
}

export interface TurnEnd extends TurnContext {
  /** Present when the run came to its end. */
  readonly result?: TurnResult<unknown>
  /** Present when it did not. */
  readonly error?: unknown
}

/** What `agent.use()` takes: handlers at four places of every run. Each may be async; what one throws ends the run. */
export interface Extension {
  /** Before the request, one after the other: may change `ctx.prompt`. */
  requestPrefix?(ctx: TurnContext): void | Promise<void>
  /** Before the first event of the model: what is returned or yielded comes first. */
  broadcastPrefix?(ctx: TurnContext): Emission
  /** After each event of a type. What these add is not handed to them again. */
  broadcastSuffix?: { [Type in TurnEvent['type']]?: (event: EventOf<Type>, ctx: TurnContext) => Emission }
  /** Exactly once per run that was begun, at its end, whatever its readers do; awaited before the result is given. */
  finally?(ctx: TurnEnd): void | Promise<void>
}

export interface TurnResult<Data> {
  /** What the output schema makes of the answer; the text where there is no schema. */
  data: Data
  /** The text of the accepted answer as the model wrote it. */
  text: string
  reasoning: string
  /** Answers that were asked for; 1 unless some were not accepted. */
  attempts: number
  toolLogs: ToolLog[]
  /** Of all requests of the run, as far as the provider told. */
  usage: Usage | undefined
  finishReason: string
  /** True when the request was ended because every awaited key had arrived: `data` is what there was. */
  satisfied: boolean
  /** What extensions leave; `toolLogs` is in it too. */
  extra: Record<string, unknown>
  /** The accepted answer as a message, as it is stored and shown. */
  message: Message
}

export interface RunOptions {
  signal?: AbortSignal
  /** The request is ended as soon as every key that anybody waits for has arrived. */
  stopWhenSatisfied?: boolean
  /** How instant events write their paths. Default `dot`. */
  pathStyle?: PathStyle
}

/**
 * One turn being answered. Lazy: the request is made when somebody reads (`when` alone does not). Cached: it is made
 * once, and every reader, however late, gets everything from the beginning. A reader that goes away ends nothing.
 */
export interface TurnRun<Input, Data> extends OutputKeys<Input> {
  readonly id: string
  /** The accepted answer, when all handlers have ended. */
  result(): Promise<TurnResult<Data>>
  /** Everything that happens. */
  events(): AsyncIterableIterator<TurnEvent>
  /** The text as it comes. After a `reset` the next attempt follows; `events` tells where. */
  text(): AsyncIterableIterator<string>
  /** Tokens of all requests so far, as far as the provider told; also of a run that was stopped or failed. */
  usage(): Usage | undefined
  /** Ends the request; whoever reads gets the reason. */
  stop(reason?: unknown): void
}
