import { GenericCard } from '../chat/generic-card.tsx'
import { ToolFrame } from '../chat/tool-frame.tsx'
import type { CardProps } from '../chat/tool-call.ts'
import { isRecord, textIn } from '../displays/parts/read-fields.ts'
import { AgentRow } from '../sub-agents/agent-row.tsx'
import { firstLine } from '../sub-agents/describe-agent.ts'
import { readReport } from '../sub-agents/read-report.ts'
import { useAgentNames } from '../sub-agents/use-agent-names.ts'
import { t } from '../texts/t.ts'
import { VisibleText } from '../ui/visible-text.tsx'
import './task.css'

/** An agent is told more. */
export default function SendInputCard({ call }: CardProps) {
  const input = isRecord(call.input) ? call.input : {}
  const agentId = textIn(input['agent_id'])
  const message = textIn(input['message']) ?? ''
  const names = useAgentNames(agentId === undefined ? [] : [agentId])
  if (agentId === undefined || readReport(call.output) === undefined) return <GenericCard call={call} />
  return (
    <ToolFrame
      call={call}
      title={input['interrupt'] === true ? t.cards.interrupts(names) : t.cards.tells(names)}
      summary={firstLine(message)}
    >
      <p className="task-text">
        <VisibleText text={message} />
      </p>
      <AgentRow agentId={agentId} />
    </ToolFrame>
  )
}
