import { newId } from '@troupe/protocol'
import { ArrowLeft, ArrowUp, CornerDownRight, MessageSquarePlus } from 'lucide-react'
import { useMemo, useState } from 'react'
import { useShallow } from 'zustand/react/shallow'
import { keyText } from '../platform/keyboard.ts'
import { AgentActions, AgentFacts, AgentIcon, statusLabel, useShowAgent } from '../sub-agents/agent-row.tsx'
import { translateServerText } from '../texts/server-texts.ts'
import { t } from '../texts/t.ts'
import { IconButton } from '../ui/button.tsx'
import { GrowingTextarea, VisibleText } from '../ui/elements.tsx'
import { useWorkspace } from '../workspace/workspace.ts'
import { ConnectionBar, ErrorCard } from './messages/error-card.tsx'
import { MessageList } from './messages/message-list.tsx'
import { DisclosureContext, SessionContext, useSession, useSessionStore } from './session/session-context.ts'
import {
  deliveredMessages,
  type SentMessage,
  undeliveredMessages,
  useRetainedState,
  useSubAgent,
  useSubAgents,
} from './session/session-hooks.ts'
import { type SessionState, visibleMessages } from './session/session-state.ts'
import { isAgentActive } from './session/sub-agent.ts'
import { pathTo } from './session/sub-agents-state.ts'

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
          <VisibleText text={translateServerText(agent.note, 'text')} />
        </p>
      )}
    </header>
  )
}

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
        <p className="agents-none">{isPending ? t.subAgents.waitingForSlot : t.subAgents.noMessages}</p>
      )}
    </div>
  )
}

/** Sends a message to a sub-agent. A running one reads it at its next step; an ended one resumes. */
function AgentComposer({ agentId }: { agentId: string }) {
  const { send, setDraft, getState } = useSessionStore()
  const draft = useSession((state) => state.draft)
  const name = useSubAgents(({ agents }) => agents.get(agentId)?.name ?? t.subAgents.theAgent)
  const works = useSubAgents(({ agents }) => isAgentActive(agents.get(agentId) ?? { status: 'completed' }))
  const isBusy = useSubAgents(({ busy }) => busy.has(agentId))
  const [sent, setSent] = useRetainedState<readonly SentMessage[]>('sent', [])
  const pending = useSession(
    useShallow((state) => (works && sent.length > 0 ? undeliveredMessages(sent, deliveredIn(state)) : [])),
  )
  const isReady = draft.trim() !== '' && !isBusy

  const submit = () => {
    if (!isReady) return
    const last = deliveredIn(getState()).at(-1)
    setSent([...pending, { id: newId('t'), text: draft, after: last?.id ?? null }])
    void send(draft)
  }

  return (
    <form
      className="agent-composer"
      onSubmit={(event) => {
        event.preventDefault()
        submit()
      }}
    >
      {pending.map(({ id, text }) => (
        <div key={id} className="steering steering-pending">
          <CornerDownRight aria-hidden />
          <span>{text}</span>
          <span className="visually-hidden">{t.subAgents.sendsAtNextStep}</span>
        </div>
      ))}
      <div className="agent-composer-box">
        <GrowingTextarea
          aria-label={t.subAgents.messageTo(name)}
          placeholder={works ? t.subAgents.addInstructions : t.subAgents.continueWith}
          value={draft}
          onChange={(event) => setDraft(event.target.value)}
          onKeyDown={(event) => {
            if (event.nativeEvent.isComposing || event.key !== 'Enter' || event.shiftKey) return
            event.preventDefault()
            submit()
          }}
        />
        <IconButton
          className="composer-send"
          type="submit"
          label={t.subAgents.send}
          shortcut={keyText('Enter')}
          disabled={!isReady}
        >
          {works ? <CornerDownRight /> : <ArrowUp />}
        </IconButton>
      </div>
    </form>
  )
}

function deliveredIn(state: SessionState): ReturnType<typeof deliveredMessages> {
  return deliveredMessages(visibleMessages(state))
}
