import { memo } from 'react'
import { ApprovalBar } from './approval-bar.tsx'
import { cardFor } from './tool-card-registry.ts'
import { readToolCall } from './tool-call.ts'
import type { CallSituation, ToolCallPart } from './tool-call.ts'

export const ToolPart = memo(function ToolPart({
  part,
  progress,
  live,
  latest,
}: { part: ToolCallPart } & CallSituation) {
  const call = readToolCall(part, { progress, live, latest })
  const Card = cardFor(call.name)
  const asks = live && call.state === 'approval-requested' && call.approval !== undefined
  return (
    <div className={asks ? 'tool-with-approval' : undefined}>
      <Card call={call} />
      {asks && call.approval !== undefined && <ApprovalBar approval={call.approval} />}
    </div>
  )
})
