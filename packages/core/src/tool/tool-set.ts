import path from 'node:path'
import type { LanguageModelV4FunctionTool } from '@ai-sdk/provider'
import { z } from 'zod'
import type { Mode } from '../access/decision.ts'
import { type Loaded, loadFolderSync } from './load-folder.ts'
import { aliasKey, ownTool } from './tool-aliases.ts'
import { createToolSearch, describe } from './tool-search.ts'
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

/**
 * Returns the same object until the tool's description changes: building a JSON schema from zod costs more than all
 * other work for a model call.
 */
function providerTool(tool: Tool): LanguageModelV4FunctionTool {
  const known = built.get(tool)
  if (known !== undefined && typeof tool.description === 'string') return known
  const description = describeTool(tool)
  if (known !== undefined && known.description === description) return known
  const made: LanguageModelV4FunctionTool = {
    type: 'function',
    name: tool.name,
    description,
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
      actionName: { type: 'string' },
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

/** Maximum tokens of MCP tool schemas per call before the tools are deferred. */
const budgetTokens = 10_000

/** Defers the tools of MCP servers behind ToolSearch if they cost too much. */
export function deferTools(tools: readonly Tool[], budget = budgetTokens): readonly Tool[] {
  const deferred = tools.filter(({ group }) => group.startsWith('mcp:'))
  return toolTokens(deferred) <= budget ? tools : [...tools, createToolSearch(deferred)]
}

const corePicks = new WeakMap<readonly Tool[], readonly Tool[]>()

/** Same for an agent with every tool: also defers the tools that most conversations do not need. */
export function deferToCore(tools: readonly Tool[]): readonly Tool[] {
  const known = corePicks.get(tools)
  if (known !== undefined) return known
  const search = tools.find(({ holds }) => holds !== undefined)
  const others = tools.filter((tool) => tool !== search)
  const held = others.filter(({ name, deferred }) => deferred === true || search?.holds?.has(name) === true)
  const picked = held.length === 0 ? tools : [...others, createToolSearch(held)]
  corePicks.set(tools, picked)
  return picked
}

/** Tells if an open page offers an action. Lines add details to the tool's description for the model. */
export type Offers = (action: string) => boolean | readonly string[]

/**
 * Returns the tools shown to a model. Page tools appear while a page offers them, with the page's details. Deferred
 * tools appear once found, used, or required by the page, the mode or an earlier call. They come after the others, in
 * that order. Deterministic across processes for the same conversation and pages.
 */
export function shownTools(
  all: readonly Tool[],
  messages: readonly { parts: readonly object[] }[],
  offers: Offers = () => false,
  mode?: Mode,
): readonly Tool[] {
  const tools = offeredTools(all, offers)
  const { shown, held, byName } = splitHeld(tools)
  if (held.length === 0) return shown
  const waiting = new Set(held.filter(({ listedAfter }) => listedAfter !== undefined))
  const known = new Set<string>()
  for (const { parts } of messages) {
    for (const part of parts as EarlierCall[]) {
      const name = part.type === 'dynamic-tool' ? part.toolName : /^tool-(.*)$/.exec(part.type)?.[1]
      if (name === undefined) continue
      known.add(name)
      if (name === 'ToolSearch') for (const found of part.output?.found ?? []) known.add(found.name)
      for (const tool of waiting) {
        if (!isListedAfter(tool, name, part.input)) continue
        known.add(tool.name)
        waiting.delete(tool)
      }
    }
  }
  for (const { name, listedIn, pageAction } of held) {
    const isNoted = pageAction !== undefined && typeof offers(pageAction) === 'object'
    if (isNoted || (listedIn !== undefined && listedIn === mode)) known.add(name)
  }
  return [...shown, ...[...known].flatMap((name) => byName.get(name) ?? [])]
}

interface SplitTools {
  shown: readonly Tool[]
  /** Found through ToolSearch. */
  held: readonly Tool[]
  byName: ReadonlyMap<string, Tool>
}

const splitTools = new WeakMap<readonly Tool[], SplitTools>()

function splitHeld(tools: readonly Tool[]): SplitTools {
  const known = splitTools.get(tools)
  if (known !== undefined) return known
  const holds = tools.find((tool) => tool.holds !== undefined)?.holds
  const held = holds === undefined ? [] : tools.filter(({ name }) => holds.has(name))
  const shown = held.length === 0 ? tools : tools.filter((tool) => !held.includes(tool))
  const split = { shown, held, byName: new Map(held.map((tool) => [tool.name, tool])) }
  splitTools.set(tools, split)
  return split
}

interface EarlierCall {
  type: string
  toolName?: string
  input?: unknown
  output?: { found?: { name: string }[] }
}

function isListedAfter({ listedAfter }: Tool, name: string, input: unknown): boolean {
  if (listedAfter === undefined) return false
  if ('text' in listedAfter) {
    const { text } = listedAfter
    const given = JSON.stringify(input ?? '')
    return typeof text === 'string' ? given.includes(text) : text.test(given)
  }
  const { tool, flag } = listedAfter
  return tool === name && (flag === undefined || (input as Record<string, unknown> | null)?.[flag] === true)
}

/** Last offered list per tool list. Reusing the same array keeps caches keyed by it valid. */
const offeredLast = new WeakMap<readonly Tool[], readonly Tool[]>()

interface PageTools {
  actions: ReadonlySet<string>
  /** The tools that need no page. */
  others: readonly Tool[]
}

const pageTools = new WeakMap<readonly Tool[], PageTools>()

function splitPageTools(all: readonly Tool[]): PageTools {
  const known = pageTools.get(all)
  if (known !== undefined) return known
  const actions = new Set(all.flatMap(({ pageAction }) => pageAction ?? []))
  const split = { actions, others: actions.size === 0 ? all : all.filter((tool) => tool.pageAction === undefined) }
  pageTools.set(all, split)
  return split
}

function offeredTools(all: readonly Tool[], offers: Offers): readonly Tool[] {
  const { actions, others } = splitPageTools(all)
  const offered = new Map([...actions].map((action) => [action, offers(action)]))
  if (offered.values().every((offer) => offer === false)) return others
  const tools = all.flatMap((tool) => {
    const offer = tool.pageAction === undefined || (offered.get(tool.pageAction) ?? false)
    if (offer === false) return []
    return [offer === true || offer.length === 0 ? tool : withLines(tool, offer)]
  })
  for (const known of [all, offeredLast.get(all)])
    if (known?.length === tools.length && tools.every((tool, index) => tool === known[index])) return known
  offeredLast.set(all, tools)
  return tools
}

const listedTools = new WeakMap<Tool, { text: string; told: Tool }>()

/** Returns the same tool object for the same lines, so that its provider schema is built once. */
function withLines(tool: Tool, lines: readonly string[]): Tool {
  const text = lines.join('\n')
  const known = listedTools.get(tool)
  if (known?.text === text) return known.told
  const told = { ...tool, description: `${describe(tool)}\n${text}` }
  listedTools.set(tool, { text, told })
  return told
}

const known = new WeakMap<Tool, number>()

export function toolTokens(tools: readonly Tool[]): number {
  let sum = 0
  for (const tool of tools) {
    let tokens = known.get(tool)
    if (tokens === undefined) {
      tokens = Math.ceil(JSON.stringify(buildTools([tool])).length / 4)
      known.set(tool, tokens)
    }
    sum += tokens
  }
  return sum
}
