import { GenericCard } from '../chat/generic-card.tsx'
import { ToolFrame } from '../chat/tool-frame.tsx'
import type { CardProps } from '../chat/tool-call.ts'
import { isRecord } from '../displays/parts/read-fields.ts'
import { AgentReport } from '../sub-agents/agent-report.tsx'
import { AgentTree } from '../sub-agents/agent-tree.tsx'
import { readRefusal, readReport } from '../sub-agents/read-report.ts'
import { useAgentNames } from '../sub-agents/use-agent-names.ts'
import { t } from '../texts/t.ts'
import { VisibleText } from '../ui/visible-text.tsx'

/** Who is waited for, then what each has brought back. */
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
