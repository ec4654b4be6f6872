import { getTools, type Tool, type ToolContext } from '@troupe/core/tool'
import { applyPrompt } from './apply-prompt.ts'
import type { OutputSource, StandardResult } from './output/ensure.ts'
import { cachedOutputSchema } from './output/output-schema.ts'
import { loadPrompt, type PromptFileOptions } from './prompt-file/load-prompt.ts'
import { toYamlPrompt } from './prompt-file/write-prompt.ts'
import { mergeSlots, setSlots, type Slots } from './prompt/slots.ts'
import { type AgentOptions, type LearnedCapabilities, RememberedRules } from './turn/agent-options.ts'
import { createTurnRun } from './turn/run-turn.ts'
import {
  createToolRegistry,
  type FunctionTool,
  type ListedTool,
  renderTools,
  type ToolFunction,
  type ToolRegistry,
} from './turn/tool-registry.ts'
import { type AgentScope, type Extension, type RunOptions, Turn, type TurnRun } from './turn/turn.ts'
import type { McpTransport, OpenMcp } from './use-mcp.ts'

export interface AutoFuncDefinition<In, Written, Out> {
  /** Used in error messages. */
  name: string
  instruct: string
  /** One object with all arguments. Defaults are applied. */
  input: OutputSource<In, unknown>
  output: OutputSource<Written, Out>
}

/** A function with a prompt as its body. Calls are independent. */
export interface AutoFunc<In, Written, Out> {
  /** Rejects with a TypeError before any model call if the input is invalid. */
  (input: In, options?: RunOptions): Promise<Out>
  /** Runs the call with streaming access. A single value is available under the key `value`. */
  stream(input: In, options?: RunOptions): TurnRun<Written extends object ? Written : { value: Written }, Out>
  readonly description: string
  readonly input: OutputSource<In, unknown>
  readonly returns: OutputSource<Written, Out>
  readonly readOnly: boolean
}

function createAutoFunc<In, Written, Out>(
  turn: () => Turn,
  definition: AutoFuncDefinition<In, Written, Out>,
): AutoFunc<In, Written, Out> {
  refuseFunctions(definition)
  const { name, instruct, input, output } = definition
  const source = cachedOutputSchema(output as OutputSource).kinds.has('scalar') ? wrapped(output) : output
  type Run = ReturnType<AutoFunc<In, Written, Out>['stream']>
  const prepared = turn()
    .instruct(instruct)
    .output(source as OutputSource)
  const stream = (given: In, options: RunOptions = {}): Run =>
    prepared.input(checked(name, input, given)).run(options) as unknown as Run
  const call = async (given: In, options?: RunOptions): Promise<Out> => (await stream(given, options).result()).data
  // These properties let another agent use it as a tool.
  const asTool = { description: instruct, input, returns: output, readOnly: true }
  return Object.assign(Object.defineProperty(call, 'name', { value: name }), { stream, ...asTool })
}

/**
 * Wraps a single value in an object, since an answer must be a JSON object. Only the model and stream readers see the
 * wrapper.
 */
function wrapped<Written, Out>(source: OutputSource<Written, Out>): OutputSource<{ value: Written }, Out> {
  const inner = source['~standard']
  return {
    ofScalar: (value) => ({ value }),
    '~standard': {
      version: 1,
      vendor: inner.vendor,
      validate: (given) => inner.validate((given as { value?: unknown } | null)?.value),
      jsonSchema: {
        input(options) {
          const { $schema, $defs, definitions, ...value } = inner.jsonSchema.input(options)
          return {
            $schema,
            type: 'object',
            properties: { value },
            required: ['value'],
            ...($defs !== undefined && { $defs }),
            ...(definitions !== undefined && { definitions }),
          }
        },
      },
    },
  }
}

function checked(name: string, schema: OutputSource, given: unknown): unknown {
  const result = schema['~standard'].validate(given) as StandardResult<unknown> | Promise<unknown>
  if (result instanceof Promise) throw new TypeError(`The input schema of ${name} must not be asynchronous.`)
  if (result.issues === undefined) return result.value
  const complaints = result.issues.map(({ path = [], message }) => {
    const place = path.map((step) => String(typeof step === 'object' ? step.key : step)).join('.')
    return place === '' ? message : `${place}: ${message}`
  })
  throw new TypeError(`The input of ${name} is invalid. ${complaints.join('; ')}`)
}

function refuseFunctions(definition: unknown): void {
  if (typeof definition !== 'function') return
  const kind = Object.prototype.toString.call(definition)
  if (/Generator/.test(kind))
    throw new TypeError('A generator function is not supported. Use stream() of an auto function.')
  throw new TypeError('autoFunc takes { name, instruct, input, output }, because a function has no schema to read.')
}

export class Agent {
  readonly name: string
  readonly tag: string
  readonly #options: AgentOptions
  readonly #registry: ToolRegistry
  readonly #learnt: LearnedCapabilities = { refusesTools: false }
  readonly #mcp: OpenMcp[] = []
  #slots: Slots = {}
  #extensions: readonly Extension[] = []

  /** Use `createAgent`. */
  constructor(options: AgentOptions) {
    this.name = options.name
    this.tag = `agent-${options.name}`
    this.#options = { remembered: new RememberedRules(), ...options }
    this.#registry = options.registry ?? createToolRegistry()
    this.useTools(options.tools ?? [])
  }

  /** Sets prompt slots for all future turns. Replaces slots of the same name. */
  always(slots: Slots): this {
    return this.set(slots)
  }

  /** Alias of `always`. `undefined` removes a slot. */
  set(slots: Slots): this {
    this.#slots = setSlots(this.#slots, slots)
    return this
  }

  /** Merges into the persistent prompt: maps by key, lists are appended, other values are replaced. */
  merge(slots: Slots): this {
    this.#slots = mergeSlots(this.#slots, slots)
    return this
  }

  get slots(): Slots {
    return { ...this.#slots }
  }

  turn(): Turn {
    return newTurn(() => this.#ground())
  }

  /** Adds handlers to all future runs. Adding one twice has no effect. */
  use(extension: Extension): this {
    if (!this.#extensions.includes(extension)) this.#extensions = [...this.#extensions, extension]
    return this
  }

  unuse(extension: Extension): this {
    this.#extensions = this.#extensions.filter((used) => used !== extension)
    return this
  }

  registerTool<Input, Output>(definition: FunctionTool<Input, Output>): this {
    this.#registry.tag(this.#registry.addFunction(definition), this.tag)
    return this
  }

  /** Registers a function as a tool, uses it, and returns the function for direct calls. */
  toolFunc<Input, Function extends (input: Input, ctx: ToolContext) => unknown>(
    definition: Omit<FunctionTool<Input>, 'execute'>,
    execute: Function,
  ): Function {
    this.registerTool({ ...definition, execute })
    return execute
  }

  useTool(tool: string | Tool | ToolFunction): this {
    return this.useTools([tool])
  }

  /**
   * Uses tools: by the name of a registered or built-in one, as tools, or as functions. An unregistered function
   * becomes a tool under its own name, with its properties `description`, `input` and `returns`.
   */
  useTools(tools: string | Tool | ToolFunction | readonly (string | Tool | ToolFunction)[]): this {
    for (const given of [tools].flat() as (string | Tool | ToolFunction)[]) {
      this.#registry.tag(this.#toolOf(given), this.tag)
    }
    return this
  }

  /**
   * Uses the tools of an MCP server, given by URL, command or transport. One connection serves all calls until `close`.
   * Read-only tools run directly; others need approval like any tool that makes changes.
   */
  async useMcp(transport: McpTransport, options: { name?: string } = {}): Promise<this> {
    const { openMcp } = await import('./use-mcp.ts')
    const opened = await openMcp(transport, options.name)
    this.#mcp.push(opened)
    for (const tool of opened.tools) this.#registry.tag(this.#registry.add(tool), this.tag)
    return this
  }

  /** Returns registered tools by tag, without duplicates. Without tags, returns this agent's tools. */
  getToolList(options: { tags?: readonly string[] } = {}): ListedTool[] {
    return this.#registry.list({ tags: options.tags ?? [this.tag] })
  }

  autoFunc<In, Written, Out>(definition: AutoFuncDefinition<In, Written, Out>): AutoFunc<In, Written, Out> {
    return createAutoFunc(() => this.turn(), definition)
  }

  /** Loads a YAML prompt from a file or text. Applies the agent's part to this agent and returns the described turn. */
  loadYamlPrompt(pathOrText: string, options: PromptFileOptions = {}): Turn<Record<string, unknown>, unknown> {
    return applyPrompt(this, loadPrompt(pathOrText, 'yaml', options))
  }

  /** Like `loadYamlPrompt`, for JSON5. */
  loadJsonPrompt(pathOrText: string, options: PromptFileOptions = {}): Turn<Record<string, unknown>, unknown> {
    return applyPrompt(this, loadPrompt(pathOrText, 'json', options))
  }

  toYamlPrompt(): string {
    return toYamlPrompt(this.#slots, {})
  }

  /** Closes the connections to MCP servers. */
  async close(): Promise<void> {
    await Promise.all(this.#mcp.splice(0).map((opened) => opened.close()))
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close()
  }

  #ground(): AgentScope {
    const tags = [this.tag]
    return {
      settings: this.#options,
      learnt: this.#learnt,
      slots: this.#slots,
      tools: this.#registry.tools(tags),
      toolTexts: () => renderTools(this.#registry, tags),
      extensions: this.#extensions,
      emptyTurn: () => this.#emptyTurn(),
    }
  }

  #emptyTurn(): Turn {
    const ground = { ...this.#ground(), slots: {}, tools: [], extensions: [] }
    return newTurn(() => ground)
  }

  #toolOf(given: string | Tool | ToolFunction): Tool {
    if (typeof given === 'string') return this.#registry.get(given) ?? this.#registry.add(builtinTool(given))
    if (typeof given !== 'function') return this.#registry.add(given)
    const known = this.#registry.tools().find((tool) => tool.execute === given)
    if (known !== undefined) return known
    if (given.name === '') throw new TypeError('A function without a name cannot be a tool; use registerTool.')
    const { description, input, returns, readOnly } = given
    return this.#registry.addFunction({
      name: given.name,
      execute: given as FunctionTool['execute'],
      description,
      input,
      returns,
      readOnly,
    })
  }
}

export function createAgent(options: AgentOptions): Agent {
  checkModel(options.model)
  return new Agent(options)
}

/** Rejects model names and models of an older interface, which would answer without usage and finish reasons. */
function checkModel(model: unknown): void {
  const version = (Object(model) as { specificationVersion?: unknown }).specificationVersion
  if (version === 'v4') return
  const given =
    typeof model === 'string'
      ? `the name "${model}"`
      : version === undefined
        ? 'something else'
        : `a model with interface ${JSON.stringify(version)}`
  throw new TypeError(
    `An agent needs an AI SDK 7 model, such as openai('gpt-5') from @ai-sdk/openai 4 or later, but got ${given}.`,
  )
}

function newTurn(ground: () => AgentScope): Turn {
  return new Turn({ ground, start: createTurnRun, changes: [], ensure: [], validators: [], otherwise: 'throw' })
}

function builtinTool(name: string): Tool {
  return getTools([name])[0] as Tool
}
