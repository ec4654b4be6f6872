import type { TurnRun } from './extension.ts'
import type { RunOptions } from './extension.ts'
import { keyNotInSchema, outputSchemaMissing } from '../output/key-errors.ts'
import type { EnsureRule, OutputSchema, OutputSource } from '../output/output-schema-types.ts'
import type { KeyValidator, Verdict } from '../output/output-stream-types.ts'
import type { PathOf, ValidPath, ValueAt } from '../output/path-types.ts'
import { outputRequirement } from './output-requirement.ts'
import { toYamlPrompt } from './prompt-file/to-yaml-prompt.ts'
import { renderPrompt, type PromptMessage } from './render-prompt.ts'
import { renderText } from './render-text.ts'
import type { TurnSpec } from './run-spec.ts'
import { cachedOutputSchema } from './schema-of.ts'
import { mergeSlots, setSlots, type Attachment, type HistoryMessage, type Slots } from './slots.ts'

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
