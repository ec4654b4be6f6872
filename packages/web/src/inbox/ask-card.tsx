import type { Ask } from '@troupe/core'
import { useMemo } from 'react'
import { ToolPart } from '../chat/parts/tool-part.tsx'
import type { Approval, ToolCallPart } from '../chat/session/message-parts.ts'

/** The card of a tool call that waits, with its buttons. */
export function ApprovalAsk({ ask }: { ask: Ask }) {
  const part = useMemo(() => toToolCallPart(ask), [ask])
  return <ToolPart part={part} progress={undefined} live latest />
}

/** Rebuilds the pending tool call as the session's stream would show it. */
function toToolCallPart(ask: Ask): ToolCallPart {
  const { id, toolCallId, toolName, input, title, summary, content, reason, remember, commands } = ask
  if (ask.kind === 'browser')
    return { type: 'dynamic-tool', toolName, toolCallId, state: 'input-available', input } as ToolCallPart
  const approval: Approval = {
    id,
    requestReason: reason,
    descriptor: {
      title,
      summary,
      content,
      remember,
      commands,
    },
  }
  return { type: 'dynamic-tool', toolName, toolCallId, state: 'approval-requested', input, approval } as ToolCallPart
}
