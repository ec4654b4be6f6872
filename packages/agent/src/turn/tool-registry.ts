import {
  checkTool,
  defineTool,
  isStringTool,
  type Tool,
  type ToolContext,
  type ToolDefinition,
  toolKey,
} from '@troupe/core/tool'
import { NamedError } from '@troupe/protocol'
import { z } from 'zod'
import type { OutputSource } from '../output/ensure.ts'
import { notationOf } from '../output/output-schema.ts'

/** A function with what a model has to know of it. */
export interface FunctionTool<Input = unknown, Output = unknown> {
  name: string
  /** Tells the model when to use it. Default: the name. */
  description?: string
  /** A zod object, or any Standard Schema that can give its JSON Schema. Default: any object. */
  input?: OutputSource<unknown, Input>
  /** What comes back, for the model to read before it calls. */
  returns?: OutputSource
  /** Changes nothing: may run beside others. Default false. */
  readOnly?: boolean
  /** Whether a person is asked first. Default false: a function that a program hands over may be called. */
  needsApproval?: Tool<Input, Output>['needsApproval']
  timeout?: number
  tags?: readonly string[]
  execute: (input: Input, ctx: ToolContext) => Output | Promise<Output>
}

/** A function that is used as a tool may carry what a model has to know of it. */
export type ToolFunction = ((input: never, ctx: never) => unknown) &
  Partial<Pick<FunctionTool, 'description' | 'input' | 'returns' | 'readOnly'>>

/** A tool as it is listed. */
export interface ListedTool {
  name: string
  description: string
  /** JSON Schema of the arguments. */
  kwargs: Record<string, unknown>
  /** JSON Schema of the result, where it is known. */
  returns?: Record<string, unknown>
  tags: string[]
  readOnly: boolean
}

/** Tools by name and tag. Several agents may share one; each uses those with its own tag, `agent-<name>`. */
export interface ToolRegistry {
  /** Throws `ToolExists` when another tool has the name. */
  add(tool: Tool, options?: { returns?: OutputSource | undefined; tags?: readonly string[] | undefined }): Tool
  /** Makes a tool of a function and its definition. */
  addFunction<Input, Output>(definition: FunctionTool<Input, Output>): Tool
  get(name: string): Tool | undefined
  tag(tool: Tool, tag: string): void
  /** Those that have any of the tags, each once; without tags all. */
  tools(tags?: readonly string[]): Tool[]
  list(options?: { tags?: readonly string[] | undefined }): ListedTool[]
  returns(tool: Tool): OutputSource | undefined
}

interface Entry {
  tool: Tool
  /** Without what is said about the result. */
  description: string
  returns?: OutputSource
  tags: Set<string>
}

export function createToolRegistry(): ToolRegistry {
  const entries = new Map<string, Entry>()
  const registry: ToolRegistry = {
    add(tool, { returns, tags = [] } = {}) {
      const checked = checkTool(tool, tool.name)
      const known = entries.get(toolKey(checked.name))
      if (known !== undefined) {
        if (known.tool.execute !== checked.execute) throw nameTakenError(known.tool.name)
        for (const tag of tags) known.tags.add(tag)
        return known.tool
      }
      const description = typeof checked.description === 'string' ? checked.description : checked.description()
      const added: Tool =
        returns === undefined ? checked : { ...checked, description: withReturns(description, returns) }
      entries.set(toolKey(checked.name), {
        tool: added,
        description,
        ...(returns !== undefined && { returns }),
        tags: new Set(tags),
      })
      return added
    },
    addFunction(definition) {
      const { tags, returns, description = definition.name, input, ...rest } = definition
      const taken = { readOnly: false, needsApproval: false, ...rest, description, group: 'library' }
      const tool = { ...taken, ...inputSchemas(input) }
      return registry.add(defineTool(tool as ToolDefinition<z.ZodType, unknown>), { returns, tags })
    },
    get: (name) => entries.get(toolKey(name))?.tool,
    tag(tool, tag) {
      entries.get(toolKey(tool.name))?.tags.add(tag)
    },
    tools: (tags) => chosen(tags).map(({ tool }) => tool),
    list: ({ tags } = {}) => chosen(tags).map(toListedTool),
    returns: (tool) => entries.get(toolKey(tool.name))?.returns,
  }
  return registry

  function chosen(tags: readonly string[] | undefined): Entry[] {
    const all = [...entries.values()]
    return tags === undefined ? all : all.filter((entry) => tags.some((tag) => entry.tags.has(tag)))
  }
}

function toListedTool({ tool, description, returns, tags }: Entry): ListedTool {
  return {
    name: tool.name,
    description,
    kwargs: argumentsSchema(tool),
    ...(returns !== undefined && { returns: toJsonSchema(returns) }),
    tags: [...tags],
    readOnly: tool.readOnly,
  }
}

/** The schema of the arguments as tools have it: zod as it is, another Standard Schema behind a zod type. */
function inputSchemas(source: OutputSource | undefined): Pick<Tool, 'input' | 'jsonSchema'> {
  if (source === undefined) return { input: z.looseObject({}) }
  if ('_zod' in source) return { input: source as unknown as z.ZodType }
  const input = z.looseObject({}).transform((value, ctx) => {
    const result = source['~standard'].validate(value)
    if (result instanceof Promise) throw new TypeError('The schema of a tool must not need to wait.')
    if (result.issues === undefined) return result.value
    for (const { message, path = [] } of result.issues) {
      ctx.addIssue({ code: 'custom', message, path: path.map((step) => (typeof step === 'object' ? step.key : step)) })
    }
    return z.NEVER
  })
  return { input, jsonSchema: toJsonSchema(source) }
}

/** What a call is made with: an object always; a tool that takes a plain text gets it as `input`. */
function argumentsSchema(tool: Tool): Record<string, unknown> {
  const { $schema: _, ...schema } = tool.jsonSchema ?? toJsonSchema(tool.input as unknown as OutputSource)
  return isStringTool(tool) ? { type: 'object', properties: { input: schema }, required: ['input'] } : schema
}

function withReturns(description: string, returns: OutputSource): string {
  return `${description}\nReturns (JSON Schema): ${JSON.stringify(toJsonSchema(returns))}`
}

function toJsonSchema(source: OutputSource): Record<string, unknown> {
  const { $schema: _, ...schema } = source['~standard'].jsonSchema.input({ target: 'draft-07' })
  return schema
}

function nameTakenError(name: string): NamedError {
  return new NamedError('ToolExists', `There is another tool called ${name}; give this one another name.`, {
    status: 409,
    data: { name },
  })
}

/** Tools as a model without calls of its own reads them: fields with their types, in the notation of outputs. */
export function renderTools(registry: ToolRegistry, tags: readonly string[]): Record<string, unknown>[] {
  return registry.list({ tags }).map(({ name, description, kwargs, returns }) => ({
    name,
    desc: description,
    kwargs: notationOf(kwargs),
    ...(returns !== undefined && { returns: notationOf(returns) }),
  }))
}

/** What one call of a tool was and brought. */
export interface ToolLog {
  name: string
  kwargs: unknown
  /** What the model said that the call is for. */
  purpose: string
  /** Absent when the call failed. */
  result?: unknown
  error?: string
}

/** What the model reads of the calls: results by purpose; a purpose that was given twice is numbered. */
export function actionResults(logs: readonly ToolLog[]): Record<string, unknown> {
  const results: Record<string, unknown> = {}
  for (const { purpose, result, error } of logs) {
    let name = purpose
    for (let n = 2; Object.hasOwn(results, name); n++) name = `${purpose} (${n})`
    results[name] = error === undefined ? result : { error }
  }
  return results
}

/** One line for a person who watches. */
export function toolLogLine({ name, kwargs, purpose, result, error }: ToolLog): string {
  const brought = error === undefined ? preview(result) : `failed: ${error}`
  return `[tool] ${name}(${preview(kwargs)}) for "${purpose}" -> ${brought}`.replaceAll('\n', ' ')
}

function preview(value: unknown): string {
  const text = typeof value === 'string' ? value : (JSON.stringify(value) ?? '')
  return text.length > 200 ? `${text.slice(0, 200)}…` : text
}
