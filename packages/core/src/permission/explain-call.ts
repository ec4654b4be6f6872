import { z } from 'zod'
import type { Decision, Effect } from '../access/decision.ts'
import { type Call, checkInput } from '../tool/parse-call.ts'
import { findTool } from '../tool/tool-set.ts'
import { checkTool, defineTool, type Tool } from '../tool/tool.ts'
import { decide } from './decide.ts'
import { type PermissionContext, placeContext } from './path-facts.ts'
import type { Policy } from './policy.ts'

/**
 * Decides on a call given by tool name and raw input. Denies input the tool would reject, since such a call never runs.
 * Treats an unknown tool as one that can change things.
 */
export function explainCall(
  call: Pick<Call, 'input'> & { tool: string },
  tools: readonly Tool[],
  ctx: PermissionContext,
  policy: Policy,
): Decision | Promise<Decision> {
  const tool = findTool(call.tool, tools) ?? unknownTool(call.tool)
  if (tool === undefined) return { decision: 'deny', reason: `"${call.tool}" is not a tool name.`, rule: null }
  const checked = checkInput(tool, call.input ?? {})
  if ('complaint' in checked) return { decision: 'deny', reason: checked.complaint, rule: null }
  return decide({ tool, input: checked.input }, ctx, policy)
}

const unknownTools = new Map<string, Tool | undefined>()

function unknownTool(name: string): Tool | undefined {
  if (unknownTools.size > 1000) unknownTools.clear()
  if (!unknownTools.has(name)) unknownTools.set(name, makeTool(name))
  return unknownTools.get(name)
}

function makeTool(name: string): Tool | undefined {
  const definition = defineTool({
    name,
    description: name,
    input: z.looseObject({}),
    readOnly: false,
    group: 'unknown',
    execute: () => Promise.reject(new Error(`There is no tool "${name}".`)),
  })
  try {
    return checkTool(definition, name)
  } catch {
    return undefined
  }
}

export interface PastCall {
  tool: string
  input: unknown
  cwd: string
  /** Workspace folders. Default: the working directory. */
  roots?: readonly string[]
}

export interface Simulation {
  before: Record<Effect, number>
  after: Record<Effect, number>
  changes: { index: number; call: PastCall; before: Decision; after: Decision }[]
}

/** Compares the decisions of two policies on past calls. Runs nothing. */
export async function simulate(
  before: Policy,
  after: Policy,
  calls: readonly PastCall[],
  tools: readonly Tool[],
): Promise<Simulation> {
  const result: Simulation = { before: noDecisions(), after: noDecisions(), changes: [] }
  const places = new Map<string, PermissionContext>()
  for (const [index, call] of calls.entries()) {
    const ctx = callPlace(call, places)
    const was = await explainCall(call, tools, ctx, before)
    const is = await explainCall(call, tools, ctx, after)
    result.before[was.decision]++
    result.after[is.decision]++
    if (was.decision !== is.decision) result.changes.push({ index, call, before: was, after: is })
  }
  return result
}

function noDecisions(): Record<Effect, number> {
  return { allow: 0, ask: 0, deny: 0 }
}

function callPlace({ cwd, roots = [cwd] }: PastCall, places: Map<string, PermissionContext>): PermissionContext {
  const key = [cwd, ...roots].join('\0')
  const known = places.get(key) ?? placeContext(cwd, roots)
  places.set(key, known)
  return known
}

export interface OpenCall {
  id: string
  tool: string
  input: unknown
  ctx: PermissionContext
  /** Current policy, including the rule just remembered. */
  policy: Policy
}

/** Returns the asks whose calls are now allowed and need no answer. */
export async function coveredAsks(asks: readonly OpenCall[], tools: readonly Tool[]): Promise<string[]> {
  const covered: string[] = []
  for (const { id, tool, input, ctx, policy } of asks) {
    const { decision } = await explainCall({ tool, input }, tools, ctx, policy)
    if (decision === 'allow') covered.push(id)
  }
  return covered
}
