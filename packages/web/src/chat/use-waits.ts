import { partData } from './data-of.ts'
import { useSession } from './session-context.ts'
import { openAsks } from './session-state.ts'
import type { ToolCall } from './tool-call.ts'

/** Whether a call has asked the person something that is still open. */
export function useHasOpenAsk({ toolCallId, running }: ToolCall): boolean {
  return useSession(({ run }) => {
    if (!running || run?.answer == null) return false
    const asks = run.answer.parts.flatMap((part) => partData(part, 'ask') ?? [])
    const open = new Set(openAsks(run.answer))
    return asks.some((ask) => ask.toolCallId === toolCallId && open.has(ask.id))
  })
}
