import { ArrowLeft, MessageSquarePlus } from 'lucide-react'
import { useMemo, useState } from 'react'
import { useShallow } from 'zustand/react/shallow'
import { ConnectionBar } from '../chat/connection-bar.tsx'
import { ErrorCard } from '../chat/error-card.tsx'
import { MessageList } from '../chat/message-list.tsx'
import { SessionContext, useSession, useSessionStore } from '../chat/session-context.ts'
import { DisclosureContext } from '../chat/use-disclosure.ts'
import { t } from '../texts/t.ts'
import { IconButton } from '../ui/icon-button.tsx'
import { VisibleText } from '../ui/visible-text.tsx'
import { useWorkspace } from '../workspace.ts'
import { AgentActions } from './agent-actions.tsx'
import { AgentComposer } from './agent-composer.tsx'
import { AgentFacts } from './agent-facts.tsx'
import { AgentIcon } from './agent-icon.tsx'
import { statusLabel } from './describe-agent.ts'
import { pathTo } from './sub-agents-state.ts'
import { useShowAgent } from './use-show-agent.ts'
import { useSubAgent, useSubAgents } from './use-sub-agents.ts'

/** The conversation of one agent, shown and answered like that of a session. */
export function AgentView({ agentId }: { agentId: string }) {
  const { agents } = useSessionStore()
  const conversation = useMemo(() => agents.conversation(agentId), [agents, agentId])
  const disclosures = useMemo(() => new Map<string, boolean>(), [])
  return (
    <>
      <AgentHead agentId={agentId} />
      <SessionContext value={conversation}>
        <DisclosureContext value={disclosures}>
          <Conversation agentId={agentId} />
          <ConnectionBar />
          <AgentComposer agentId={agentId} />
        </DisclosureContext>
      </SessionContext>
    </>
  )
}

function AgentHead({ agentId }: { agentId: string }) {
  const showAgent = useShowAgent()
  const agent = useSubAgent(agentId)
  const path = useSubAgents(useShallow((state) => pathTo(state.agents, agentId).map((one) => one.agentId)))
  return (
    <header className="agents-head agent-view-head">
      <IconButton label={t.subAgents.all} onClick={() => showAgent(null)}>
        <ArrowLeft />
      </IconButton>
      <h2>
        {path.slice(0, -1).map((above) => (
          <Above key={above} agentId={above} />
        ))}
        <VisibleText text={agent?.name ?? t.subAgents.agent} as="name" />
      </h2>
      {agent !== undefined && <AgentActions agent={agent} opens={false} />}
      <ForkButton agentId={agentId} />
      {agent !== undefined && (
        <p className="agent-view-facts" data-status={agent.status}>
          <AgentIcon status={agent.status} />
          <span>{statusLabel(agent)}</span>
          <AgentFacts agent={agent} />
          {agent.model !== null && <span className="agent-model">{agent.model}</span>}
        </p>
      )}
      {agent?.note != null && (
        <p className="agent-note" data-status={agent.status}>
          <VisibleText text={agent.note} />
        </p>
      )}
    </header>
  )
}

/** An agent that this one works for. */
function Above({ agentId }: { agentId: string }) {
  const showAgent = useShowAgent()
  const name = useSubAgents((state) => state.agents.get(agentId)?.name ?? '')
  return (
    <>
      <button type="button" className="agent-above" onClick={() => showAgent(agentId)}>
        <VisibleText text={name} as="name" />
      </button>
      <span className="agent-step" aria-hidden>
        ›
      </span>
    </>
  )
}

/** Goes on with a copy of the conversation in a session of its own. */
function ForkButton({ agentId }: { agentId: string }) {
  const { app } = useWorkspace()
  const { agents } = useSessionStore()
  const [busy, setBusy] = useState(false)
  const fork = async () => {
    setBusy(true)
    const session = await agents.fork(agentId)
    setBusy(false)
    if (session === undefined) return
    await app.refresh()
    app.select(session.id)
  }
  return (
    <IconButton label={t.subAgents.fork} disabled={busy} onClick={() => void fork()}>
      <MessageSquarePlus />
    </IconButton>
  )
}

function Conversation({ agentId }: { agentId: string }) {
  const { open } = useSessionStore()
  const phase = useSession((state) => state.phase)
  const failure = useSession((state) => state.failure)
  const isEmpty = useSession((state) => state.messages.length === 0 && state.run === null)
  const isPending = useSubAgent(agentId)?.status === 'pending'
  if (!isEmpty) return <MessageList />
  return (
    <div className="agents-body">
      {failure !== null && <ErrorCard error={failure} {...(phase === 'failed' && { onRetry: () => void open() })} />}
      {failure === null && phase === 'loading' && <p className="agents-none chat-loading">{t.ui.loading}</p>}
      {failure === null && phase === 'ready' && (
        <p className="agents-none">{isPending ? t.subAgents.waitsForPlace : t.subAgents.nothingSaid}</p>
      )}
    </div>
  )
}
