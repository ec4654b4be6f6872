import path from 'node:path'
import type { LanguageModelV4FunctionTool } from '@ai-sdk/provider'
import { z } from 'zod'
import { type Loaded, loadFolderSync } from './load-folder.ts'
import { aliasKey, ownTool } from './tool-aliases.ts'
import { checkTool, isStringTool, type Tool, toolKey } from './tool.ts'

let builtin: Tool[] | undefined

export function getBuiltinTools(): Tool[] {
  if (builtin === undefined) {
    const loaded = loadTools([path.join(import.meta.dirname, '../tools')])
    const problem = loaded.problems[0]
    if (problem !== undefined) throw new Error(`${problem.path}: ${problem.message}`)
    builtin = loaded.entries.map((entry) => entry.value)
  }
  return [...builtin]
}

/**
 * Returns built-in tools by name, or all for null or undefined. Throws for an unknown name and lists the known ones.
 */
export function getTools(names?: readonly string[] | null, from: readonly Tool[] = getBuiltinTools()): Tool[] {
  if (names === undefined || names === null) return [...from]
  return names.map((name) => {
    const tool = findTool(name, from)
    if (tool === undefined)
      throw new Error(`There is no tool "${name}". Known: ${from.map((known) => known.name).join(', ')}`)
    return tool
  })
}

export function findTool(name: string, from: readonly Tool[]): Tool | undefined {
  const key = toolKey(name)
  return (
    from.find((tool) => tool.name === name) ??
    from.find((tool) => toolKey(tool.name) === key) ??
    from.find((tool) => toolKey(ownTool(tool).name) === aliasKey(name))
  )
}

export interface ToolInfo {
  name: string
  description: string
  status: 'enable' | 'disable'
}

/** Returns every tool and whether the config's `useTools` enables it. Absent or null enables all. */
export function getToolInfos(
  useTools?: readonly string[] | null,
  from: readonly Tool[] = getBuiltinTools(),
): ToolInfo[] {
  const used = useTools === undefined || useTools === null ? undefined : keysOf(useTools)
  return from.map((tool) => ({
    name: tool.name,
    description: describeTool(tool),
    status: used === undefined || used.has(toolKey(tool.name)) ? 'enable' : 'disable',
  }))
}

/** Disabled tools never reach a model. */
export function enabledTools(useTools: readonly string[] | null | undefined, from: readonly Tool[]): readonly Tool[] {
  if (useTools === undefined || useTools === null) return from
  const used = keysOf(useTools)
  return from.filter((tool) => used.has(toolKey(tool.name)))
}

/** Loads tool folders in order. On a duplicate name the first tool wins, and the other is reported with its path. */
export function loadTools(folders: readonly string[], known: readonly Tool[] = []): Loaded<Tool> {
  const all: Loaded<Tool> = { entries: [], problems: [] }
  const taken = new Map<string, string>(known.map((tool) => [toolKey(tool.name), 'a built-in tool']))
  for (const folder of folders) {
    const loaded = loadFolderSync(folder, (value, name) => {
      const tool = checkTool(value, name)
      providerTool(tool)
      return tool
    })
    all.problems.push(...loaded.problems)
    for (const entry of loaded.entries) {
      const key = toolKey(entry.value.name)
      const other = taken.get(key)
      if (other !== undefined) {
        all.problems.push({ path: entry.path, message: `the name ${entry.value.name} is taken by ${other}` })
        continue
      }
      taken.set(key, entry.path)
      all.entries.push(entry)
    }
  }
  return all
}

export function buildTools(tools: readonly Tool[]): LanguageModelV4FunctionTool[] {
  return tools.map(providerTool)
}

/** Converts tools to the format of Anthropic's API, for programs that call it directly. */
export function toAnthropicTools(
  tools: readonly Tool[],
): { name: string; description: string; input_schema: Record<string, unknown> }[] {
  return buildTools(tools).map(({ name, description = '', inputSchema }) => ({
    name,
    description,
    input_schema: inputSchema as Record<string, unknown>,
  }))
}

const built = new WeakMap<Tool, LanguageModelV4FunctionTool>()

/** Cached per tool: building a JSON schema from zod costs more than all other work for a model call. */
function providerTool(tool: Tool): LanguageModelV4FunctionTool {
  const known = built.get(tool)
  if (known !== undefined && typeof tool.description === 'string') return known
  const made: LanguageModelV4FunctionTool = {
    type: 'function',
    name: tool.name,
    description: describeTool(tool),
    inputSchema: known?.inputSchema ?? inputSchema(tool),
  }
  built.set(tool, made)
  return made
}

function inputSchema(tool: Tool): LanguageModelV4FunctionTool['inputSchema'] {
  const { $schema: _, ...schema } = (tool.jsonSchema ?? brief(tool.input)) as Record<string, unknown>
  if (isStringTool(tool)) {
    return {
      type: 'object',
      properties: { input: schema },
      required: ['input'],
    } as LanguageModelV4FunctionTool['inputSchema']
  }
  // Keep the field if the tool's own schema has it.
  const properties = {
    ...(schema['properties'] as object),
    ...(!Object.hasOwn((schema['properties'] ?? {}) as object, 'actionName') && {
      actionName: { type: 'string', description: 'A short label for this call' },
    }),
  }
  return { ...schema, properties } as LanguageModelV4FunctionTool['inputSchema']
}

/**
 * Drops lengths and wide ranges from the schema. They are checked on each call, and would only cost tokens in every
 * request.
 */
function brief(input: z.ZodType): unknown {
  return z.toJSONSchema(input, {
    io: 'input',
    target: 'draft-7',
    override({ jsonSchema }) {
      for (const key of ['minLength', 'maxLength', 'exclusiveMinimum'] as const) delete jsonSchema[key]
      if (jsonSchema.minimum === 0) delete jsonSchema.minimum
      if ((jsonSchema.maximum ?? 0) >= 10_000) delete jsonSchema.maximum
      const { properties } = jsonSchema
      for (const [name, property] of Object.entries(properties ?? {}))
        if (typeof property === 'object' && property['hidden'] === true) delete properties?.[name]
    },
  })
}

function keysOf(names: readonly string[]): Set<string> {
  return new Set(names.flatMap((name) => [toolKey(name), aliasKey(name)]))
}

function describeTool(tool: Tool): string {
  return typeof tool.description === 'string' ? tool.description : tool.description()
}

/**
 * Returns the tools with these names or capability groups, without duplicates, in the order of `tools`. `*` selects
 * all. The group `mcp:files` belongs to the group `mcp`. Unknown names are ignored.
 */
export function pickTools(names: readonly string[], tools: readonly Tool[]): readonly Tool[] {
  if (names.includes('*')) return tools
  const picked = new Set<Tool>()
  for (const name of names) {
    const found = findTool(name, tools)
    if (found !== undefined) picked.add(found)
    const key = toolKey(name)
    for (const tool of tools) if (groupsOf(tool).includes(key)) picked.add(tool)
  }
  return tools.filter((tool) => picked.has(tool))
}

export function unknownTools(names: readonly string[], tools: readonly Tool[]): string[] {
  return names.filter((name) => {
    const key = toolKey(name)
    const isThere = name === '*' ? tools.length > 0 : tools.some((tool) => groupsOf(tool).includes(key))
    return !isThere && findTool(name, tools) === undefined
  })
}

/** Cached, because every turn needs the groups of all tools and they never change. */
const knownGroups = new WeakMap<Tool, readonly string[]>()

function groupsOf(tool: Tool): readonly string[] {
  let groups = knownGroups.get(tool)
  if (groups === undefined) {
    groups = [toolKey(tool.group), toolKey(tool.group.split(':', 1)[0] as string)]
    knownGroups.set(tool, groups)
  }
  return groups
}
