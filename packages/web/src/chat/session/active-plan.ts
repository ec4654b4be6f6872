import type { Part } from '@troupe/protocol'
import { recordsIn } from '../../api/read-fields.ts'
import { getToolName, isToolCall, type ToolCallPart, toolKey } from './message-parts.ts'
import type { SessionState } from './session-state.ts'

export function isPlan(part: Part): part is ToolCallPart {
  return isToolCall(part) && toolKey(getToolName(part)) === 'todowrite' && part.state === 'output-available'
}

/**
 * Returns the newest state of the plan in progress: of the running answer, or else of the latest one. Undefined once
 * it is done, or an answer without a plan has followed.
 */
export function activePlan({ run, messages }: Pick<SessionState, 'run' | 'messages'>): ToolCallPart | undefined {
  const live = run?.answer ?? undefined
  const last = messages.findLast(({ role, id }) => role === 'assistant' && id !== live?.id)
  const plan = live?.parts.findLast(isPlan) ?? last?.parts.findLast(isPlan)
  return plan !== undefined && planItems(plan).some(({ status }) => status !== 'completed') ? plan : undefined
}

export function planItems(plan: ToolCallPart): Record<string, unknown>[] {
  return recordsIn((plan.output as { todos?: unknown } | null | undefined)?.todos)
}

/** Item that is worked on: its place, from 1, and text. */
export function currentItem(plan: ToolCallPart): { place: number; total: number; text: string } {
  const items = planItems(plan)
  const active = items.findIndex(({ status }) => status === 'in_progress')
  const index = active === -1 ? items.findIndex(({ status }) => status !== 'completed') : active
  const { content, activeForm } = items[index] ?? {}
  const texts = [index === active ? activeForm : undefined, content]
  const text = texts.find((one) => typeof one === 'string' && one !== '')
  return { place: index + 1, total: items.length, text: typeof text === 'string' ? text : '' }
}
