import { isRecord, textIn } from '../api/read-fields.ts'
import { GenericCard } from '../chat/parts/generic-card.tsx'
import { ToolFrame } from '../chat/parts/tool-frame.tsx'
import type { CardProps } from '../chat/session/message-parts.ts'
import { useAgentNames } from '../chat/session/session-hooks.ts'
import { readReport } from '../chat/session/sub-agent.ts'
import { AgentRow, firstLine } from '../sub-agents/agent-row.tsx'
import '../texts/show-cards.ts'
import { t } from '../texts/t.ts'
import { VisibleText } from '../ui/elements.tsx'
import './task.css'

export default function SendInputCard({ call }: CardProps) {
  const input = isRecord(call.input) ? call.input : {}
  const agentId = textIn(input['agent_id'])
  const message = textIn(input['message']) ?? ''
  const names = useAgentNames(agentId === undefined ? [] : [agentId])
  if (agentId === undefined || readReport(call.output) === undefined) return <GenericCard call={call} />
  return (
    <ToolFrame
      call={call}
      title={input['interrupt'] === true ? t.cards.interrupts(names) : t.cards.messages(names)}
      summary={firstLine(message)}
    >
      <p className="task-text">
        <VisibleText text={message} />
      </p>
      <AgentRow agentId={agentId} />
    </ToolFrame>
  )
}
