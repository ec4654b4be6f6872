import type { Ask } from '@troupe/core'
import type { Approval, ToolCallPart } from '../chat/tool-call.ts'

/** The call that an approval is about, as the stream of its session would show it. */
export function callOf(ask: Ask): ToolCallPart {
  const { id, toolCallId, toolName, input, title, summary, content, reason, remember, commands } = ask
  const approval: Approval = {
    id,
    requestReason: reason,
    descriptor: {
      title,
      ...(summary !== undefined && { summary }),
      content,
      ...(remember !== undefined && { remember }),
      ...(commands !== undefined && { commands }),
    },
  }
  return { type: 'dynamic-tool', toolName, toolCallId, state: 'approval-requested', input, approval } as ToolCallPart
}
