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

export function outputRequirement({ schema, words }: Pick<TurnSpec, 'schema' | 'words'>): string | undefined {
  if (schema === undefined) return words
  return `Data Format: JSON\nData Structure:\n${schema.notation}`
}

export type AgentScope = Pick<
  TurnSpec,
  'settings' | 'learnt' | 'slots' | 'tools' | 'toolTexts' | 'extensions' | 'emptyTurn'
>

interface TurnState {
  readonly ground: () => AgentScope
  /** Starts the run. Injected because a run creates turns itself. */
  readonly start: <Input, Data>(spec: TurnSpec, options: RunOptions) => TurnRun<Input, Data>
  readonly changes: readonly ((slots: Slots) => Slots)[]
  readonly ensure: readonly EnsureRule[]
  readonly validators: readonly KeyValidator[]
  readonly retries?: number
  readonly otherwise: TurnSpec['otherwise']
}

/**
 * One question to an agent, as an immutable builder: each method returns a new turn. `Input` is the type the model
 * writes, which paths refer to. `Data` is the schema's output type. The agent's scope is read when `run` is called.
 *
 * Methods named after slots merge into the values of the agent and earlier calls; `set` replaces them.
 */
export class Turn<Input = string, Data = string> {
  readonly #parts: TurnState

  /** Use `agent.turn()`. */
  constructor(parts: TurnState) {
    this.#parts = parts
  }

  /** Replaces slots of the same name, including the agent's. `undefined` removes a slot. */
  set(slots: Slots): Turn<Input, Data> {
    return this.#change((before) => setSlots(before, slots))
  }

  /** Merges maps by key, appends lists, replaces anything else; see `mergeValue`. */
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

  /** Sets the form of the answer: a schema, or a description, which keeps the answer a text. */
  output<In, Out>(schema: OutputSource<In, Out>): Turn<In, Out>
  output(words: string): Turn
  output(form: unknown): unknown {
    return this.set({ output: form })
  }

  /** Requires paths in an accepted answer, in addition to those the schema marks. */
  ensure<const P extends PathOf<Input>>(
    paths: (P & ValidPath<Input, P>) | readonly (P & ValidPath<Input, P>)[],
    rule?: EnsureRule['rule'],
  ): Turn<Input, Data>
  ensure(paths: string | readonly string[], rule: EnsureRule['rule'] = 'present'): Turn<Input, Data> {
    const rules = [paths].flat().map((path): EnsureRule => ({ path, rule }))
    return this.#with({ ensure: [...this.#parts.ensure, ...rules] })
  }

  /**
   * Checks one value as soon as it is complete, or the whole answer. The model gets the reason of a rejection and tries
   * again.
   */
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

  /** Sets the number of retries for a rejected answer. After that the turn throws or returns the last answer. */
  retries(count: number, otherwise: TurnSpec['otherwise'] = 'throw'): Turn<Input, Data> {
    return this.#with({ retries: checkRetries(count), otherwise })
  }

  /** Creates a separate run on each call. The request starts when the run is read. */
  run(options: RunOptions = {}): TurnRun<Input, Data> {
    return this.#parts.start<Input, Data>(this.#spec(), options)
  }

  /** Returns the messages to send, before handlers and planning change them. */
  toMessages(): PromptMessage[] {
    const spec = this.#spec()
    return renderPrompt(spec.slots, outputRequirement(spec), spec.settings)
  }

  toText(): string {
    return renderText(this.toMessages())
  }

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
      words: typeof output === 'string' ? output : undefined,
      schema,
      ensure,
      validators,
      otherwise,
      retries: retries ?? checkRetries(ground.settings.retries ?? 3),
    }
  }
}

/** Other values would never end the attempts. */
function checkRetries(retries: number): number {
  if (Number.isInteger(retries) && retries >= 0) return retries
  throw new TypeError('retries takes a number: 0, 1, 2…')
}

function checkEnsured(rules: readonly EnsureRule[], schema: OutputSchema | undefined): void {
  for (const { path } of rules) {
    if (schema === undefined) throw outputSchemaMissing()
    if (!schema.has(path)) throw keyNotInSchema(path, schema.paths)
  }
}

export type TurnEvent =
  | { readonly type: 'delta'; readonly delta: string }
  | { readonly type: 'reasoning'; readonly delta: string }
  | { readonly type: 'tool'; readonly log: ToolLog }
  /** Another request follows within the answer, since tools were called. */
  | { readonly type: 'step'; readonly step: number }
  /** The answer so far was rejected. Discard all its earlier events. */
  | { readonly type: 'reset'; readonly reason: string; readonly attempt: number }
  /** The provider failed before its first byte and is retried. */
  | { readonly type: 'retry'; readonly attempt: number; readonly delayMs: number; readonly message: string }
  /** A non-fatal problem. The answer continues. */
  | { readonly type: 'warning'; readonly message: string }
  | { readonly type: 'done'; readonly text: string; readonly data: unknown }
  /** Emitted by an extension. */
  | { readonly type: 'custom'; readonly name: string; readonly data: unknown }

type EventOf<Type extends TurnEvent['type']> = Extract<TurnEvent, { type: Type }>

/** Events added by a handler: none, one, or several over time. */
export type Emission =
  | void
  | TurnEvent
  | Iterable<TurnEvent>
  | AsyncIterable<TurnEvent>
  | Promise<void | TurnEvent | Iterable<TurnEvent>>

/** One run as its handlers see it. Never shared between runs. */
export interface TurnContext {
  readonly id: string
  readonly agent: string
  readonly signal: AbortSignal
  /** Session of this run. Created for the run if there is none. */
  session: string
  /** The prompt of this run. `requestPrefix` may replace it. */
  prompt: Slots
  /** Included in the result. */
  readonly extra: Record<string, unknown>
  readonly toolLogs: ToolLog[]
  /**
   * Creates an empty turn on the same model, without the agent's prompt, tools and extensions, for additional requests.
   */
  turn(): Turn
  addUsage(usage: Usage | undefined): void
}

export interface TurnEnd extends TurnContext {
  readonly result?: TurnResult<unknown>
  readonly error?: unknown
}

/**
 * The argument of `agent.use()`: handlers at four points of every run. Each may be async. An exception ends the run.
 */
export interface Extension {
  /** Runs before the request, sequentially. May change `ctx.prompt`. */
  requestPrefix?(ctx: TurnContext): void | Promise<void>
  /** Runs before the model's first event. Emits the returned or yielded events first. */
  broadcastPrefix?(ctx: TurnContext): Emission
  /** Runs after each event of a type. Events it adds are not passed to it again. */
  broadcastSuffix?: { [Type in TurnEvent['type']]?: (event: EventOf<Type>, ctx: TurnContext) => Emission }
  /** Runs exactly once at the end of every started run, whatever its readers do. Awaited before the result resolves. */
  finally?(ctx: TurnEnd): void | Promise<void>
}

export interface TurnResult<Data> {
  /** The schema's output, or the text without a schema. */
  data: Data
  /** Text of the accepted answer as the model wrote it. */
  text: string
  reasoning: string
  /** Number of requested answers; 1 unless some were rejected. */
  attempts: number
  toolLogs: ToolLog[]
  /** Total of all requests of the run, as far as the provider reports it. */
  usage: Usage | undefined
  finishReason: string
  /** True if the request ended early because every awaited key had arrived. `data` is then the partial value. */
  satisfied: boolean
  /** Values set by extensions, including `toolLogs`. */
  extra: Record<string, unknown>
  message: Message
}

export interface RunOptions {
  signal?: AbortSignal
  /** Ends the request as soon as every awaited key has arrived. */
  stopWhenSatisfied?: boolean
  /** Path style of instant events. Default `dot`. */
  pathStyle?: PathStyle
}

/**
 * A running turn. Lazy: the request starts when someone reads (`when` alone does not). Cached: it runs once, and every
 * reader gets everything from the beginning, however late. A reader that leaves cancels nothing.
 */
export interface TurnRun<Input, Data> extends OutputKeys<Input> {
  readonly id: string
  /** Resolves to the accepted answer once all handlers have ended. */
  result(): Promise<TurnResult<Data>>
  events(): AsyncIterableIterator<TurnEvent>
  /** Yields the text as it streams. After a `reset` the next attempt follows; `events` shows where. */
  text(): AsyncIterableIterator<string>
  /** Tokens of all requests so far, as far as the provider reports them, even for a stopped or failed run. */
  usage(): Usage | undefined
  /** Cancels the request. Readers get the reason. */
  stop(reason?: unknown): void
}

/** Immutable snapshot of everything a run needs from its turn. */
export interface TurnSpec {
  readonly settings: AgentOptions
  readonly learnt: LearnedCapabilities
  readonly slots: Slots
  readonly schema?: OutputSchema<unknown, unknown>
  readonly words?: string
  readonly ensure: readonly EnsureRule[]
  readonly validators: readonly KeyValidator[]
  readonly retries: number
  /** Behavior if the answer is still rejected after the last retry. */
  readonly otherwise: 'throw' | 'last'
  readonly tools: readonly Tool[]
  /** The tools as text, for external planning. */
  readonly toolTexts: () => unknown
  readonly extensions: readonly Extension[]
  readonly emptyTurn: () => Turn
}
