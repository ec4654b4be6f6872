import { ChevronRight } from 'lucide-react'
import { memo, useId } from 'react'
import { useDisclosure } from '../chat/use-disclosure.ts'
import { t } from '../texts/t.ts'
import { AgentRow } from './agent-row.tsx'
import { useAnyAgentActive, useSubAgents } from './use-sub-agents.ts'
import './agent-tree.css'

/** Agents with those that work for them below. What is below is folded when all of it is over. */
export function AgentTree({ agentIds, label }: { agentIds: readonly string[]; label?: string }) {
  return (
    <ul className="agent-tree" aria-label={label}>
      {agentIds.map((agentId) => (
        <AgentBranch key={agentId} agentId={agentId} />
      ))}
    </ul>
  )
}

const none: readonly string[] = []

const AgentBranch = memo(function AgentBranch({ agentId }: { agentId: string }) {
  const below = useSubAgents((state) => state.below.get(agentId) ?? none)
  const name = useSubAgents(({ agents }) => agents.get(agentId)?.name ?? '')
  const works = useAnyAgentActive(below)
  const [open, setOpen] = useDisclosure(`below ${agentId}`, works)
  const listId = useId()
  return (
    <li className="agent-branch">
      <AgentRow agentId={agentId} />
      {below.length > 0 && (
        <>
          <button
            type="button"
            className="agent-fold"
            aria-expanded={open}
            aria-controls={listId}
            aria-label={t.subAgents.belowNamed(below.length, name)}
            onClick={() => setOpen(!open)}
          >
            <ChevronRight aria-hidden />
            {t.subAgents.below(below.length)}
          </button>
          <div id={listId} hidden={!open}>
            {open && <AgentTree agentIds={below} label={t.cards.agentsOf(name)} />}
          </div>
        </>
      )}
    </li>
  )
})
