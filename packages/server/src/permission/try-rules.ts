import { setImmediate } from 'node:timers/promises'
import {
  inDialect,
  simulate,
  type Decision,
  type Effect,
  type Policy,
  type Simulation,
  type StoredCall,
  type Tool,
} from '@troupe/core'
import { truncateJson } from './shortened.ts'

/** A decision as it is shown beside its call. */
export type ShownDecision = Pick<Decision, 'decision' | 'reason' | 'rule' | 'remember' | 'commands'>

export interface RuleTrialResult {
  calls: number
  before: Record<Effect, number>
  after: Record<Effect, number>
  /** How many calls another thing would have become of. */
  changed: number
  /** The first of them, long texts cut. */
  changes: (StoredCall & { before: ShownDecision; after: ShownDecision })[]
}

const maxListedChanges = 200
/** Streams go on in between. */
export const callsPerSlice = 100

/** What other rules would have made of calls that were made in a folder. Nothing is run or saved. */
export async function tryRules(
  { before, after }: { before: Policy; after: Policy },
  stored: readonly StoredCall[],
  { tools, folder }: { tools: readonly Tool[]; folder: string },
): Promise<RuleTrialResult> {
  const known = inDialects(tools, stored)
  const trial: RuleTrialResult = {
    calls: stored.length,
    before: emptyCounts(),
    after: emptyCounts(),
    changed: 0,
    changes: [],
  }
  for (let from = 0; from < stored.length; from += callsPerSlice) {
    const some = stored.slice(from, from + callsPerSlice)
    const calls = some.map(({ toolName, input }) => ({ tool: toolName, input, cwd: folder }))
    const found = await simulate(before, after, calls, known)
    addOutcome(trial, found, some)
    await setImmediate()
  }
  return trial
}

export function shownDecision({ decision, reason, rule, remember, commands }: Decision): ShownDecision {
  return {
    decision,
    reason,
    rule,
    ...(remember !== undefined && { remember }),
    ...(commands !== undefined && { commands }),
  }
}

function addOutcome(trial: RuleTrialResult, found: Simulation, calls: readonly StoredCall[]): void {
  for (const effect of ['allow', 'ask', 'deny'] as const) {
    trial.before[effect] += found.before[effect]
    trial.after[effect] += found.after[effect]
  }
  trial.changed += found.changes.length
  for (const { index, before, after } of found.changes) {
    const call = calls[index]
    if (call === undefined || trial.changes.length >= maxListedChanges) return
    const decisions = { before: shownDecision(before), after: shownDecision(after) }
    trial.changes.push({ ...call, input: truncateJson(call.input), ...decisions })
  }
}

function emptyCounts(): Record<Effect, number> {
  return { allow: 0, ask: 0, deny: 0 }
}

/** The tools under every name that the models of these calls know them by. */
function inDialects(tools: readonly Tool[], calls: readonly StoredCall[]): Tool[] {
  const models = new Set(calls.flatMap(({ model }) => model ?? []))
  return [...new Set([...tools, ...[...models].flatMap((model) => inDialect(tools, model))])]
}
