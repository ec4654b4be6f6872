import { z } from 'zod'
import type { Mode } from '../access/decision.ts'
import { buildTools } from './tool-set.ts'
import { defineTool, type Tool } from './tool.ts'

/** Maximum tokens of MCP tool schemas per call before the tools are deferred. */
const budgetTokens = 10_000
const maxFound = 20

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
  const holds = tools.find((tool) => tool.holds !== undefined)?.holds
  if (holds === undefined) return tools
  const held = tools.filter(({ name }) => holds.has(name))
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
  const byName = new Map(held.map((tool) => [tool.name, tool]))
  for (const { name, listedIn, pageAction } of held) {
    const isNoted = pageAction !== undefined && typeof offers(pageAction) === 'object'
    if (isNoted || (listedIn !== undefined && listedIn === mode)) known.add(name)
  }
  return [...tools.filter(({ name }) => !holds.has(name)), ...[...known].flatMap((name) => byName.get(name) ?? [])]
}

interface EarlierCall {
  type: string
  toolName?: string
  input?: unknown
  output?: { found?: { name: string }[] }
}

function isListedAfter({ listedAfter }: Tool, name: string, input: unknown): boolean {
  if (listedAfter === undefined) return false
  if ('text' in listedAfter) return JSON.stringify(input ?? '').includes(listedAfter.text)
  const { tool, flag } = listedAfter
  return tool === name && (flag === undefined || (input as Record<string, unknown> | null)?.[flag] === true)
}

/** Last offered list per tool list. Reusing the same array keeps caches keyed by it valid. */
const offeredLast = new WeakMap<readonly Tool[], readonly Tool[]>()

function offeredTools(all: readonly Tool[], offers: Offers): readonly Tool[] {
  const tools = all.flatMap((tool) => {
    const offer = tool.pageAction === undefined || offers(tool.pageAction)
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

function createToolSearch(deferred: readonly Tool[]): Tool {
  const groups = Map.groupBy(deferred, ({ group }) => group)
  const counted = [...groups].map(([group, tools]) =>
    group.startsWith('mcp:')
      ? `${group.slice('mcp:'.length)} (MCP server, ${tools.length} tools)`
      : tools.map(({ name }) => name).join(', '),
  )
  return defineTool({
    name: 'ToolSearch',
    description: `Finds more tools: ${counted.join('; ')}. Search by keywords or by tool name. You can call the tools it finds from the next step on.`,
    input: z.object({
      query: z.string().min(1).max(500).describe('Such as "create issue" or "ChartRender"'),
      limit: z.int().positive().max(maxFound).default(5),
    }),
    readOnly: true,
    group: 'mcp',
    holds: new Set(deferred.map(({ name }) => name)),
    title: ({ query }) => query,
    execute({ query, limit }) {
      const words = wordsOf(query)
      const scored = deferred
        .map((tool) => ({ tool, score: scoreOf(tool, words, query) }))
        .filter(({ score }) => score > 0)
        .toSorted((a, b) => b.score - a.score || (a.tool.name < b.tool.name ? -1 : 1))
      return {
        found: scored
          .slice(0, limit)
          .map(({ tool }) => ({ name: tool.name, description: describe(tool).slice(0, 1000) })),
        more: Math.max(0, scored.length - limit),
      }
    },
    toModel({ found, more }) {
      if (found.length === 0) return 'No tools found. Try other or fewer words.'
      const lines = found.map(({ name, description }) => `${name}: ${description}`)
      return `${lines.join('\n')}${more > 0 ? `\n${more} more match.` : ''}\nYou can call them now.`
    },
  })
}

/** Words in the name count most. A full name match ranks first. */
function scoreOf(tool: Tool, words: readonly string[], query: string): number {
  const name = tool.name.toLowerCase()
  if (
    query
      .toLowerCase()
      .split(/[\s,]+/)
      .includes(name)
  )
    return 1000
  const nameWords = wordsOf(tool.name)
  const text = describe(tool).toLowerCase()
  let score = 0
  for (const word of words) {
    if (nameWords.includes(word)) score += 5
    else if (name.includes(word)) score += 3
    else if (text.includes(word)) score += 1
  }
  return score
}

function wordsOf(text: string): string[] {
  const split = text.replace(/([a-z0-9])([A-Z])/g, '$1 $2').toLowerCase()
  return split.split(/[^\p{L}\p{N}]+/u).filter((word) => word !== '' && word !== 'mcp')
}

function describe({ description }: Tool): string {
  return typeof description === 'string' ? description : description()
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
