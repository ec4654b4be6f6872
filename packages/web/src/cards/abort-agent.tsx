import { GenericCard } from '../chat/parts/generic-card.tsx'
import { ToolFrame } from '../chat/parts/tool-frame.tsx'
import type { CardProps } from '../chat/session/message-parts.ts'
import { isKnownStatus, readReport } from '../chat/session/sub-agent.ts'
import { AgentReport } from '../sub-agents/agent-report.tsx'
import '../texts/show-cards.ts'
import { t } from '../texts/t.ts'

export default function AbortAgentCard({ call }: CardProps) {
  const report = readReport(call.output)
  if (report === undefined) return <GenericCard call={call} />
  return (
    <ToolFrame
      call={call}
      title={t.cards.stopped(report.name)}
      summary={report.status === 'stopped' || !isKnownStatus(report.status) ? '' : t.subAgents.statuses[report.status]}
    >
      <AgentReport report={report} />
    </ToolFrame>
  )
}
