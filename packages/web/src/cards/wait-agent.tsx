import { isRecord } from '../api/read-fields.ts'
import { GenericCard } from '../chat/parts/generic-card.tsx'
import { ToolFrame } from '../chat/parts/tool-frame.tsx'
import type { CardProps } from '../chat/session/message-parts.ts'
import { useAgentNames } from '../chat/session/session-hooks.ts'
import { readRefusal, readReport } from '../chat/session/sub-agent.ts'
import { AgentReport } from '../sub-agents/agent-report.tsx'
import { AgentTree } from '../sub-agents/agent-row.tsx'
import '../texts/show-cards.ts'
import { t } from '../texts/t.ts'
import { VisibleText } from '../ui/elements.tsx'

export default function WaitAgentCard({ call }: CardProps) {
  const given = isRecord(call.input) ? call.input['agent_ids'] : undefined
  const agentIds = Array.isArray(given) ? given.filter((id) => typeof id === 'string') : []
  const names = useAgentNames(agentIds)
  if (agentIds.length === 0 || call.errorText !== undefined) return <GenericCard call={call} />
  const results: unknown[] = Array.isArray(call.output) ? call.output : []
  return (
    <ToolFrame call={call} title={call.running ? t.cards.waits : t.cards.waited} summary={names}>
      {results.length === 0 && <AgentTree agentIds={agentIds} label={t.cards.awaited} />}
      {results.map((result, index) => {
        const report = readReport(result)
        if (report !== undefined) return <AgentReport key={index} report={report} isNamed />
        return (
          <p key={index} className="tool-remark">
            <VisibleText text={readRefusal(result) ?? ''} />
          </p>
        )
      })}
    </ToolFrame>
  )
}
