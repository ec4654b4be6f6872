import { memo } from 'react'
import { VisibleText } from '../ui/visible-text.tsx'
import { AgentActions } from './agent-actions.tsx'
import { AgentFacts } from './agent-facts.tsx'
import { AgentIcon } from './agent-icon.tsx'
import { describeWork, firstLine, latestText, statusLabel } from './describe-agent.ts'
import { isAgentActive } from './sub-agent.ts'
import { useSubAgent } from './use-sub-agents.ts'
import './agent-row.css'

export interface AgentRowProps {
  agentId: string
  /** Its name and task stand above it already. */
  isBare?: boolean
}

/** One agent: who, how it stands, what it is at, what it has said last. Drawn anew only when something of it changed. */
export const AgentRow = memo(function AgentRow({ agentId, isBare = false }: AgentRowProps) {
  const agent = useSubAgent(agentId)
  if (agent === undefined) return null
  const working = isAgentActive(agent)
  const { title, target } = working ? describeWork(agent) : { title: statusLabel(agent), target: firstLine(agent.task) }
  const words = latestText(agent)
  return (
    <article
      className="agent"
      data-status={agent.status}
      data-bare={isBare}
      aria-label={`${agent.name}: ${statusLabel(agent)}`}
    >
      <AgentIcon status={agent.status} />
      <p className="agent-head">
        {!isBare && (
          <span className="agent-name">
            <VisibleText text={agent.name} as="name" />
          </span>
        )}
        {(working || isBare) && <span className="agent-doing">{title}</span>}
        {target !== undefined && !(isBare && !working) && (
          <span className="agent-target">
            <VisibleText text={target} as="name" />
          </span>
        )}
      </p>
      <AgentFacts agent={agent} />
      <AgentActions agent={agent} />
      {words !== '' && (
        <p className="agent-line" dir="auto">
          <VisibleText text={words} as="name" />
        </p>
      )}
    </article>
  )
})
