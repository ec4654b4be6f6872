import { createElement, memo } from 'react'
import { t } from '../texts/t.ts'
import { ApprovalBar } from './approval-bar.tsx'
import { ErrorBoundary } from './card-boundary.tsx'
import { cardFor } from './tool-card-registry.ts'
import { readToolCall } from './tool-call.ts'
import type { CallSituation, ToolCall, ToolCallPart } from './tool-call.ts'
import { ToolFrame } from './tool-frame.tsx'
import { ValueView } from './value-view.tsx'

export const ToolPart = memo(function ToolPart({
  part,
  progress,
  live,
  latest,
  aborted,
}: { part: ToolCallPart } & CallSituation) {
  const call = readToolCall(part, { progress, live, latest, ...(aborted === true && { aborted }) })
  const asks = live && call.state === 'approval-requested' && call.approval !== undefined
  return (
    <div className={asks ? 'tool-with-approval' : undefined} data-call={call.toolCallId}>
      <ErrorBoundary fallback={<BareCall call={call} />}>{createElement(cardFor(call.name), { call })}</ErrorBoundary>
      {asks && call.approval !== undefined && <ApprovalBar approval={call.approval} input={call.input} />}
    </div>
  )
})

/** In place of a card that failed: nothing but what the call is. */
function BareCall({ call }: { call: ToolCall }) {
  return (
    <ToolFrame call={call} open={call.state === 'approval-requested'}>
      <p className="tool-remark">{t.calls.cannotShow}</p>
      <ValueView value={{ input: call.input, output: call.output, error: call.errorText }} />
    </ToolFrame>
  )
}
