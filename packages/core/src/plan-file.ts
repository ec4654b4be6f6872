import path from 'node:path'
import type { AgentState } from './agent-state.ts'

/** The one file that may be written in plan mode: `plan.md` of the session, beside the folder of its output. */
export function planFileOf({ outputFolder }: Pick<AgentState, 'outputFolder'>): string {
  return path.join(path.dirname(outputFolder), 'plan.md')
}

/** What a model is told while the session is in plan mode, after everything else. */
export function planInstructions(planFile: string): string {
  return `You are in plan mode. Look around as much as you need, but change nothing: nothing can be written but the plan, in ${planFile}. Ask with AskUserQuestion where the person has to choose. When the plan is complete, call ExitPlanMode: the person reads it there and decides. Do not ask for approval of the plan in any other way.`
}
