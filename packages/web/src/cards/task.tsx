import { GenericCard } from '../chat/parts/generic-card.tsx'
import { ToolFrame } from '../chat/parts/tool-frame.tsx'
import type { CardProps, ToolCall } from '../chat/session/message-parts.ts'
import { useAgentForCall, useAnyAgentActive, useSubAgent, useSubAgents } from '../chat/session/session-hooks.ts'
import { readRefusal, readReport, readTask } from '../chat/session/sub-agent.ts'
import { AgentReport } from '../sub-agents/agent-report.tsx'
import { AgentRow, AgentTree, firstLine } from '../sub-agents/agent-row.tsx'
import '../texts/show-cards.ts'
import { t } from '../texts/t.ts'
import { VisibleText } from '../ui/elements.tsx'
import './task.css'

const none: readonly string[] = []

export default function TaskCard({ call }: CardProps) {
  const agentId = useAgentForCall(call)
  const agent = useSubAgent(agentId)
  const below = useSubAgents((state) => (agentId === undefined ? none : (state.children.get(agentId) ?? none)))
  const works = useAnyAgentActive(agentId === undefined ? none : [agentId])
  const { name, task } = readTask(call.input)
  const title = agent?.name ?? name
  const head = { title, summary: firstLine(task) }
  const report = readReport(call.output)
  const refusal = readRefusal(call.output)
  if (refusal !== undefined) {
    return (
      <ToolFrame call={call} {...head} summary={firstLine(refusal)} isBad>
        <p className="tool-remark">
          <VisibleText text={refusal} />
        </p>
      </ToolFrame>
    )
  }
  // A call that awaits approval, was denied or has not started has no agent yet.
  if (agentId === undefined) return <GenericCard call={call} {...(call.state === 'input-available' && head)} />
  // A background call returns before its agent ends.
  const isOver = report !== undefined && ['completed', 'failed', 'stopped'].includes(report.status)
  return (
    <ToolFrame
      call={works ? stillRunning(call) : call}
      {...head}
      open={works}
      isBad={(isOver ? report : agent)?.status === 'failed'}
    >
      {isOver && !works ? <AgentReport report={report} /> : <AgentRow agentId={agentId} isBare />}
      {below.length > 0 && <AgentTree agentIds={below} label={t.cards.agentsOf(title ?? '')} />}
      {call.errorText !== undefined && !call.stopped && (
        <p className="tool-error">
          <VisibleText text={call.errorText} />
        </p>
      )}
      {task !== '' && (
        <details className="tool-details">
          <summary>{t.cards.task}</summary>
          <p className="task-text">
            <VisibleText text={task} />
          </p>
        </details>
      )}
    </ToolFrame>
  )
}

/** Marks a returned call as running while its agent works in the background. */
function stillRunning(call: ToolCall): ToolCall {
  const { elapsedMs: _, ...notes } = call.notes
  return { ...call, running: true, notes }
}
