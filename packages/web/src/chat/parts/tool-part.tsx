import { type ComponentType, createElement, memo, type ReactNode, useState } from 'react'
import { ValueView } from '../../displays/parts/display-parts.tsx'
import { type HunkChoice, HunkChoiceContext, hunksIn } from '../../displays/parts/hunk-choice.ts'
import '../../texts/show-cards.ts'
import { t } from '../../texts/t.ts'
import { ErrorBoundary } from '../../ui/error-boundary.tsx'
import { ApprovalBar } from '../asks/approval-bar.tsx'
import {
  type Approval,
  type CallSituation,
  type CardProps,
  readToolCall,
  type ToolCall,
  type ToolCallPart,
  toolKey,
} from '../session/message-parts.ts'
import { useSession } from '../session/session-context.ts'
import { useRetainedState } from '../session/session-hooks.ts'
import { GenericCard } from './generic-card.tsx'
import { ToolFrame } from './tool-frame.tsx'

// The folder is the registry and file names are tool names: `cards/todo-write.tsx` renders `TodoWrite`.
const files = import.meta.glob<ComponentType<CardProps>>('../../cards/*.tsx', { eager: true, import: 'default' })
/** Cards by tool name. */
export const cards = new Map(
  Object.entries(files).map(([path, card]) => [
    toolKey(
      path
        .split('/')
        .at(-1)
        ?.replace(/\.tsx$/, '') ?? '',
    ),
    card,
  ]),
)

function cardFor(toolName: string): ComponentType<CardProps> {
  return cards.get(toolKey(toolName)) ?? GenericCard
}

export function hasCard(toolName: string): boolean {
  return cards.has(toolKey(toolName))
}

export const ToolPart = memo(function ToolPart({
  part,
  progress,
  live,
  latest,
  aborted,
  disclosure,
}: { part: ToolCallPart } & CallSituation) {
  const call = readToolCall(part, { progress, live, latest, aborted, disclosure })
  const asks = live && call.state === 'approval-requested' && call.approval !== undefined
  return (
    <div className={asks ? 'tool-with-approval' : undefined} data-call={call.toolCallId}>
      <HunkChoices approval={asks ? call.approval : undefined}>
        <ErrorBoundary fallback={<BareCall call={call} />}>{createElement(cardFor(call.name), { call })}</ErrorBoundary>
        {asks && call.approval !== undefined && <ApprovalBar approval={call.approval} input={call.input} />}
      </HunkChoices>
    </div>
  )
})

/** Connects the hunks in the card with the buttons below it. One hunk alone is allowed or denied by the buttons. */
function HunkChoices({ approval, children }: { approval: Approval | undefined; children: ReactNode }) {
  const sending = useSession((state) => approval !== undefined && state.answering.includes(approval.id))
  const [rejected, setRejected] = useRetainedState<readonly string[]>(`${approval?.id} rejected`, [])
  const [isEditing, setEditing] = useState(false)
  const ids = hunksIn(approval?.descriptor?.content).map(({ id }) => id)
  const choice: HunkChoice = {
    ids,
    // After a restart the change may have other hunks.
    rejected: new Set(rejected.filter((id) => ids.includes(id))),
    disabled: sending || isEditing,
    setEditing,
    toggle: (id) => setRejected(rejected.includes(id) ? rejected.filter((other) => other !== id) : [...rejected, id]),
  }
  return <HunkChoiceContext value={ids.length < 2 ? null : choice}>{children}</HunkChoiceContext>
}

function BareCall({ call }: { call: ToolCall }) {
  return (
    <ToolFrame call={call} open={call.state === 'approval-requested'}>
      <p className="tool-remark">{t.calls.cannotShow}</p>
      <ValueView value={{ input: call.input, output: call.output, error: call.errorText }} />
    </ToolFrame>
  )
}
