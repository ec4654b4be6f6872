import { getTools } from '../tool-set.ts'
import type { Tool, ToolContext } from '../tool.ts'
import type { AgentOptions } from './agent-options.ts'
import { createAutoFunc, type AutoFunc, type AutoFuncDefinition } from './auto-func.ts'
import type { LearnedCapabilities } from './capabilities.ts'
import { RememberedRules } from './decide-for.ts'
import type { Extension } from './extension.ts'
import { applyPrompt } from './prompt-file/apply-prompt.ts'
import { loadPrompt, type PromptFileOptions } from './prompt-file/load-prompt.ts'
import { toYamlPrompt } from './prompt-file/to-yaml-prompt.ts'
import { renderTools } from './render-tools.ts'
import { mergeSlots, setSlots, type Slots } from './slots.ts'
import {
  createToolRegistry,
  type FunctionTool,
  type ListedTool,
  type ToolFunction,
  type ToolRegistry,
} from './tool-registry.ts'
import { createTurnRun } from './turn-run.ts'
import { Turn, type AgentScope } from './turn.ts'
import type { McpTransport, OpenMcp } from './use-mcp.ts'

/** An agent of a program: a model with a prompt that always holds, tools and extensions. */
export class Agent {
  readonly name: string
  /** The tag of the tools that this agent uses. */
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

  /** What holds in every turn from now on. The slots given replace those of the same name. */
  always(slots: Slots): this {
    return this.set(slots)
  }

  /** The same as `always`. `undefined` takes a slot away. */
  set(slots: Slots): this {
    this.#slots = setSlots(this.#slots, slots)
    return this
  }

  /** Merges into what holds in every turn: maps key by key, lists one after the other, anything else replaced. */
  merge(slots: Slots): this {
    this.#slots = mergeSlots(this.#slots, slots)
    return this
  }

  /** The prompt that holds in every turn. */
  get slots(): Slots {
    return { ...this.#slots }
  }

  /** A new question. */
  turn(): Turn {
    return newTurn(() => this.#ground())
  }

  /** Adds handlers to every run that is made from now on. Given twice, it still counts once. */
  use(extension: Extension): this {
    if (!this.#extensions.includes(extension)) this.#extensions = [...this.#extensions, extension]
    return this
  }

  /** Takes the handlers away again. */
  unuse(extension: Extension): this {
    this.#extensions = this.#extensions.filter((used) => used !== extension)
    return this
  }

  /** Registers a function as a tool and uses it. */
  registerTool<Input, Output>(definition: FunctionTool<Input, Output>): this {
    this.#registry.tag(this.#registry.addFunction(definition), this.tag)
    return this
  }

  /** Registers a function as a tool, uses it, and gives the function back, to be called as it is. */
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
   * Uses tools: by the name of a registered or built-in one, as tools, or as functions. A function that is not
   * registered yet becomes a tool under its own name, with what it carries as `description`, `input` and `returns`.
   */
  useTools(tools: string | Tool | ToolFunction | readonly (string | Tool | ToolFunction)[]): this {
    for (const given of [tools].flat() as (string | Tool | ToolFunction)[]) {
      this.#registry.tag(this.#toolOf(given), this.tag)
    }
    return this
  }

  /**
   * Uses the tools of an MCP server: by its address, its command, or a transport. One connection serves all calls until
   * `close`. Read-only tools run as they are, the others ask like any tool that changes things.
   */
  async useMcp(transport: McpTransport, options: { name?: string } = {}): Promise<this> {
    const { openMcp } = await import('./use-mcp.ts')
    const opened = await openMcp(transport, options.name)
    this.#mcp.push(opened)
    for (const tool of opened.tools) this.#registry.tag(this.#registry.add(tool), this.tag)
    return this
  }

  /** Registered tools by tag, each once; without tags those that this agent uses. */
  getToolList(options: { tags?: readonly string[] } = {}): ListedTool[] {
    return this.#registry.list({ tags: options.tags ?? [this.tag] })
  }

  /** A function whose body is a prompt. */
  autoFunc<In, Written, Out>(definition: AutoFuncDefinition<In, Written, Out>): AutoFunc<In, Written, Out> {
    return createAutoFunc(() => this.turn(), definition)
  }

  /** Reads a prompt file or text in YAML: what is the agent's goes to the agent, the turn that it describes is returned. */
  loadYamlPrompt(pathOrText: string, options: PromptFileOptions = {}): Turn<Record<string, unknown>, unknown> {
    return applyPrompt(this, loadPrompt(pathOrText, 'yaml', options))
  }

  /** The same in JSON5. */
  loadJsonPrompt(pathOrText: string, options: PromptFileOptions = {}): Turn<Record<string, unknown>, unknown> {
    return applyPrompt(this, loadPrompt(pathOrText, 'json', options))
  }

  /** What holds in every turn as a prompt file. */
  toYamlPrompt(): string {
    return toYamlPrompt(this.#slots, {})
  }

  /** Ends the connections to MCP servers. */
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
      ...(description !== undefined && { description }),
      ...(input !== undefined && { input }),
      ...(returns !== undefined && { returns }),
      ...(readOnly !== undefined && { readOnly }),
    })
  }
}

export function createAgent(options: AgentOptions): Agent {
  checkModel(options.model)
  return new Agent(options)
}

/** A name is no model here, and a model of an older interface would answer without usage and finish reasons. */
function checkModel(model: unknown): void {
  const version = (Object(model) as { specificationVersion?: unknown }).specificationVersion
  if (version === 'v4') return
  const given =
    typeof model === 'string'
      ? `the name "${model}"`
      : version === undefined
        ? 'something else'
        : `a model of interface ${JSON.stringify(version)}`
  throw new TypeError(
    `An agent needs a model of the AI SDK 7, such as openai('gpt-5') of @ai-sdk/openai 4 or later, and was given ${given}.`,
  )
}

function newTurn(ground: () => AgentScope): Turn {
  return new Turn({ ground, start: createTurnRun, changes: [], ensure: [], validators: [], otherwise: 'throw' })
}

function builtinTool(name: string): Tool {
  return getTools([name])[0] as Tool
}
