import type { Effect } from './decision.ts'
import type { Tool } from '../tool.ts'
import type { Decision } from './decision.ts'
import { explainCall } from './explain-call.ts'
import { placeContext, type PermissionContext } from './permission-context.ts'
import type { Policy } from './policy.ts'

/** A call that was made once, wherever that was. */
export interface PastCall {
  tool: string
  input: unknown
  cwd: string
  /** The folders of its workspace. Default: the working directory. */
  roots?: readonly string[]
}

export interface Simulation {
  /** How many of the calls are allowed, asked for and denied. */
  before: Record<Effect, number>
  after: Record<Effect, number>
  changes: { index: number; call: PastCall; before: Decision; after: Decision }[]
}

/** What another policy would have made of calls of the past. Nothing is run. */
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
