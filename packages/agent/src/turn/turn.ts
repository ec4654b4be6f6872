import type { Tool } from '@troupe/core/tool'
import type { Message, Usage } from '@troupe/protocol'
import type { PathStyle } from '../json/path.ts'
import type { EnsureRule, OutputSchema, OutputSource } from '../output/ensure.ts'
import { cachedOutputSchema } from '../output/output-schema.ts'
import {
  keyNotInSchema,
  type KeyValidator,
  type OutputKeys,
  outputSchemaMissing,
  type PathOf,
  type ValidPath,
  type ValueAt,
  type Verdict,
} from '../output/output-stream-types.ts'
import { toYamlPrompt } from '../prompt-file/write-prompt.ts'
import { type PromptMessage, renderPrompt, renderText } from '../prompt/render-prompt.ts'
import { type Attachment, type HistoryMessage, mergeSlots, setSlots, type Slots } from '../prompt/slots.ts'
import type { AgentOptions, LearnedCapabilities } from './agent-options.ts'
import type { ToolLog } from './tool-registry.ts'

/** What the model is told about the form of its answer. */
export function outputRequirement({ schema, words }: Pick<TurnSpec, 'schema' | 'words'>): string | undefined {
  if (schema === undefined) return words
  return `Data Format: JSON\nData Structure:\n${schema.notation}`
}

/** What a turn has of its agent when its run is made. */
export type AgentScope = Pick<
  TurnSpec,
  'settings' | 'learnt' | 'slots' | 'tools' | 'toolTexts' | 'extensions' | 'emptyTurn'
>

interface TurnState {
  readonly ground: () => AgentScope
  /** Starts the run. Passed in because a run creates turns of its own. */
  readonly start: <Input, Data>(spec: TurnSpec, options: RunOptions) => TurnRun<Input, Data>
  readonly changes: readonly ((slots: Slots) => Slots)[]
  readonly ensure: readonly EnsureRule[]
  readonly validators: readonly KeyValidator[]
  readonly retries?: number
  readonly otherwise: TurnSpec['otherwise']
}

/**
 * One question to an agent, as an immutable builder: each method gives a new turn. `Input` is what the model writes,
 * which paths lead into; `Data` is what the schema makes of it. The agent's scope counts as it is when `run` is called.
 *
 * The methods named after slots merge into what the agent and earlier calls gave; `set` replaces it.
 */
export class Turn<Input = string, Data = string> {
  readonly #parts: TurnState

  /** Use `agent.turn()`. */
  constructor(parts: TurnState) {
    this.#parts = parts
  }

  /** The slots given replace those of the same name, the agent's too. `undefined` takes a slot away. */
  set(slots: Slots): Turn<Input, Data> {
    return this.#change((before) => setSlots(before, slots))
  }

  /** Maps key by key, lists one after the other, anything else replaced: see `mergeValue`. */
  merge(slots: Slots): Turn<Input, Data> {
    return this.#change((before) => mergeSlots(before, slots))
  }

  input(value: unknown): Turn<Input, Data> {
    return this.merge({ input: value })
  }

  info(value: unknown): Turn<Input, Data> {
    return this.merge({ info: value })
  }

  instruct(value: unknown): Turn<Input, Data> {
    return this.merge({ instruct: value })
  }

  examples(value: unknown): Turn<Input, Data> {
    return this.merge({ examples: value })
  }

  attachment(value: Attachment | readonly Attachment[]): Turn<Input, Data> {
    return this.merge({ attachment: value })
  }

  history(messages: readonly HistoryMessage[]): Turn<Input, Data> {
    return this.merge({ history: messages })
  }

  system(value: unknown): Turn<Input, Data> {
    return this.merge({ system: value })
  }

  developer(value: unknown): Turn<Input, Data> {
    return this.merge({ developer: value })
  }

  role(value: unknown): Turn<Input, Data> {
    return this.merge({ role: value })
  }

  rules(value: unknown): Turn<Input, Data> {
    return this.merge({ rules: value })
  }

  userInfo(value: unknown): Turn<Input, Data> {
    return this.merge({ userInfo: value })
  }

  /** The form of the answer: a schema, or words that leave it a text. */
  output<In, Out>(schema: OutputSource<In, Out>): Turn<In, Out>
  output(words: string): Turn
  output(form: unknown): unknown {
    return this.set({ output: form })
  }

  /** Paths that an answer must have to be accepted, beside those that the schema marks. */
  ensure<const P extends PathOf<Input>>(
    paths: (P & ValidPath<Input, P>) | readonly (P & ValidPath<Input, P>)[],
    rule?: EnsureRule['rule'],
  ): Turn<Input, Data>
  ensure(paths: string | readonly string[], rule: EnsureRule['rule'] = 'present'): Turn<Input, Data> {
    const rules = [paths].flat().map((path): EnsureRule => ({ path, rule }))
    return this.#with({ ensure: [...this.#parts.ensure, ...rules] })
  }

  /** Checks one value as soon as it is complete, or the whole answer. A refusal is told to the model, which tries again. */
  validate(check: (data: Data) => Verdict | Promise<Verdict>): Turn<Input, Data>
  validate<const P extends PathOf<Input>>(
    path: P & ValidPath<Input, P>,
    check: (value: ValueAt<Input, P>) => Verdict | Promise<Verdict>,
  ): Turn<Input, Data>
  validate(...args: [unknown, unknown?]): Turn<Input, Data> {
    const [path, check] = typeof args[0] === 'function' ? ['', args[0]] : args
    const validator = { path, check } as KeyValidator
    return this.#with({ validators: [...this.#parts.validators, validator] })
  }

  /** How often an answer that is not accepted is asked for again; then it is an error, or the last answer is taken. */
  retries(count: number, otherwise: TurnSpec['otherwise'] = 'throw'): Turn<Input, Data> {
    return this.#with({ retries: checkRetries(count), otherwise })
  }

  /** Makes a run; the request follows when somebody reads it. Every call makes a run of its own. */
  run(options: RunOptions = {}): TurnRun<Input, Data> {
    return this.#parts.start<Input, Data>(this.#spec(), options)
  }

  /** The messages that would be sent, before handlers and planning change them. */
  toMessages(): PromptMessage[] {
    const spec = this.#spec()
    return renderPrompt(spec.slots, outputRequirement(spec), spec.settings)
  }

  /** The same as one text. */
  toText(): string {
    return renderText(this.toMessages())
  }

  /** Agent scope and turn scope as a prompt file. */
  toYamlPrompt(): string {
    return toYamlPrompt(this.#parts.ground().slots, this.#applied({}))
  }

  #change(change: (slots: Slots) => Slots): Turn<Input, Data> {
    return this.#with({ changes: [...this.#parts.changes, change] })
  }

  #with(parts: Partial<TurnState>): Turn<Input, Data> {
    return new Turn<Input, Data>({ ...this.#parts, ...parts })
  }

  #applied(slots: Slots): Slots {
    return this.#parts.changes.reduce((before, change) => change(before), slots)
  }

  #spec(): TurnSpec {
    const { ensure, validators, otherwise, retries } = this.#parts
    const ground = this.#parts.ground()
    const { output, ...slots } = this.#applied(ground.slots)
    const schema = output == null || typeof output === 'string' ? undefined : cachedOutputSchema(output as OutputSource)
    checkEnsured(ensure, schema)
    return {
      ...ground,
      slots,
      ...(typeof output === 'string' && { words: output }),
      ...(schema !== undefined && { schema }),
      ensure,
      validators,
      otherwise,
      retries: retries ?? checkRetries(ground.settings.retries ?? 3),
    }
  }
}

/** Anything else would be compared with the attempts in vain, and never end them. */
function checkRetries(retries: number): number {
  if (Number.isInteger(retries) && retries >= 0) return retries
  throw new TypeError('retries takes a number: 0, 1, 2…')
}

/** A path that no answer could have would be asked for in vain. */
function checkEnsured(rules: readonly EnsureRule[], schema: OutputSchema | undefined): void {
  for (const { path } of rules) {
    if (schema === undefined) throw outputSchemaMissing()
    if (!schema.has(path)) throw keyNotInSchema(path, schema.paths)
  }
}

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

/** Everything of a turn that its run needs, as it was when the run was made. Nothing of it changes afterwards. */
export interface TurnSpec {
  readonly settings: AgentOptions
  readonly learnt: LearnedCapabilities
  readonly slots: Slots
  readonly schema?: OutputSchema<unknown, unknown>
  /** What the output slot says in words. */
  readonly words?: string
  readonly ensure: readonly EnsureRule[]
  readonly validators: readonly KeyValidator[]
  readonly retries: number
  /** What becomes of an answer that is still not accepted when no retry is left. */
  readonly otherwise: 'throw' | 'last'
  readonly tools: readonly Tool[]
  /** The tools as text, for external planning. */
  readonly toolTexts: () => unknown
  readonly extensions: readonly Extension[]
  readonly emptyTurn: () => Turn
}
