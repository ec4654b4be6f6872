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

export interface FunctionTool<Input = unknown, Output = unknown> {
  name: string
  /** Tells the model when to use it. Default: the name. */
  description?: string
  /** A zod object, or any Standard Schema that provides its JSON Schema. Default: any object. */
  input?: OutputSource<unknown, Input>
  /** Describes the result to the model before it calls the tool. */
  returns?: OutputSource
  /** Changes nothing and may run in parallel with others. Default false. */
  readOnly?: boolean
  /** Requires approval before it runs. Default false: functions provided by the program are trusted. */
  needsApproval?: Tool<Input, Output>['needsApproval']
  timeout?: number
  tags?: readonly string[]
  execute: (input: Input, ctx: ToolContext) => Output | Promise<Output>
}

/** A function used as a tool may carry its description as properties. */
export type ToolFunction = ((input: never, ctx: never) => unknown) &
  Partial<Pick<FunctionTool, 'description' | 'input' | 'returns' | 'readOnly'>>

export interface ListedTool {
  name: string
  description: string
  kwargs: Record<string, unknown>
  returns?: Record<string, unknown>
  tags: string[]
  readOnly: boolean
}

/** Tools by name and tag. Agents may share a registry; each uses the tools with its own tag, `agent-<name>`. */
export interface ToolRegistry {
  /** Throws `ToolExists` if another tool has the name. */
  add(tool: Tool, options?: { returns?: OutputSource | undefined; tags?: readonly string[] | undefined }): Tool
  addFunction<Input, Output>(definition: FunctionTool<Input, Output>): Tool
  get(name: string): Tool | undefined
  tag(tool: Tool, tag: string): void
  /** Returns the tools with any of the tags, without duplicates. Without tags, returns all. */
  tools(tags?: readonly string[]): Tool[]
  list(options?: { tags?: readonly string[] | undefined }): ListedTool[]
  returns(tool: Tool): OutputSource | undefined
}

interface Entry {
  tool: Tool
  /** Excludes the description of the result. */
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
        returns,
        tags: new Set(tags),
      })
      return added
    },
    addFunction(definition) {
      const { tags, returns, description = definition.name, input, readOnly = false, ...rest } = definition
      const taken = { readOnly, needsApproval: false, ...rest, description, group: 'library' }
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
    returns: returns && toJsonSchema(returns),
    tags: [...tags],
    readOnly: tool.readOnly,
  }
}

/** Converts the argument schema to a tool's format: zod as is, another Standard Schema wrapped in a zod type. */
function inputSchemas(source: OutputSource | undefined): Pick<Tool, 'input' | 'jsonSchema'> {
  if (source === undefined) return { input: z.looseObject({}) }
  if ('_zod' in source) return { input: source as unknown as z.ZodType }
  const input = z.looseObject({}).transform((value, ctx) => {
    const result = source['~standard'].validate(value)
    if (result instanceof Promise) throw new TypeError('The schema of a tool must not be asynchronous.')
    if (result.issues === undefined) return result.value
    for (const { message, path = [] } of result.issues) {
      ctx.addIssue({ code: 'custom', message, path: path.map((step) => (typeof step === 'object' ? step.key : step)) })
    }
    return z.NEVER
  })
  return { input, jsonSchema: toJsonSchema(source) }
}

/** Returns the schema of the arguments, always an object. A tool that takes plain text gets it as `input`. */
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
  return new NamedError('ToolExists', `There is already a tool named ${name}. Use another name.`, {
    status: 409,
    data: { name },
  })
}

/** Describes tools for a model without native tool calls: fields with types, in the notation of outputs. */
export function renderTools(registry: ToolRegistry, tags: readonly string[]): Record<string, unknown>[] {
  return registry.list({ tags }).map(({ name, description, kwargs, returns }) => ({
    name,
    desc: description,
    kwargs: notationOf(kwargs),
    ...(returns !== undefined && { returns: notationOf(returns) }),
  }))
}

export interface ToolLog {
  name: string
  kwargs: unknown
  /** Purpose stated by the model. */
  purpose: string
  /** Absent if the call failed. */
  result?: unknown
  error?: string
}

/** Returns tool results by purpose, for the model. Duplicate purposes are numbered. */
export function actionResults(logs: readonly ToolLog[]): Record<string, unknown> {
  const results: Record<string, unknown> = {}
  for (const { purpose, result, error } of logs) {
    let name = purpose
    for (let n = 2; Object.hasOwn(results, name); n++) name = `${purpose} (${n})`
    results[name] = error === undefined ? result : { error }
  }
  return results
}

export function toolLogLine({ name, kwargs, purpose, result, error }: ToolLog): string {
  const brought = error === undefined ? preview(result) : `failed: ${error}`
  return `[tool] ${name}(${preview(kwargs)}) for "${purpose}" -> ${brought}`.replaceAll('\n', ' ')
}

function preview(value: unknown): string {
  const text = typeof value === 'string' ? value : (JSON.stringify(value) ?? '')
  return text.length > 200 ? `${text.slice(0, 200)}…` : text
}
