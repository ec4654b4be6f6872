import type { Ask } from '@troupe/core'
import type { Approval, ToolCallPart } from '../chat/tool-call.ts'

/** The call that is to be approved, or that waits for a click, as the stream of its session would show it. */
export function toToolCallPart(ask: Ask): ToolCallPart {
  const { id, toolCallId, toolName, input, title, summary, content, reason, remember, commands } = ask
  if (ask.kind === 'browser')
    return { type: 'dynamic-tool', toolName, toolCallId, state: 'input-available', input } as ToolCallPart
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
