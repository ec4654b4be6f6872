import { PanelRightOpen, RotateCw, Square } from 'lucide-react'
import { useSessionStore } from '../chat/session-context.ts'
import { t } from '../texts/t.ts'
import { Button } from '../ui/button.tsx'
import { IconButton } from '../ui/icon-button.tsx'
import { isAgentActive } from './sub-agent.ts'
import type { SubAgent } from './sub-agent.ts'
import { useShowAgent } from './use-show-agent.ts'
import { useSubAgents } from './use-sub-agents.ts'

/** Answer, open, stop or try again: what a person can do with one agent. */
export function AgentActions({ agent, opens = true }: { agent: SubAgent; opens?: boolean }) {
  const { agents } = useSessionStore()
  const showAgent = useShowAgent()
  const { agentId, name, status, asks } = agent
  const isBusy = useSubAgents(({ busy }) => busy.has(agentId))
  return (
    <span className="agent-actions">
      {opens && asks > 0 && (
        <Button aria-label={t.subAgents.answerNamed(name)} onClick={() => showAgent(agentId)}>
          {t.subAgents.answer}
        </Button>
      )}
      {isAgentActive(agent) && (
        <IconButton label={t.subAgents.stop(name)} disabled={isBusy} onClick={() => void agents.stop(agentId)}>
          <Square className="agent-stop" />
        </IconButton>
      )}
      {(status === 'failed' || status === 'stopped') && (
        <IconButton label={t.subAgents.tryAgain(name)} disabled={isBusy} onClick={() => void agents.retry(agentId)}>
          <RotateCw />
        </IconButton>
      )}
      {opens && asks === 0 && (
        <IconButton label={t.subAgents.open(name)} onClick={() => showAgent(agentId)}>
          <PanelRightOpen />
        </IconButton>
      )}
    </span>
  )
}
