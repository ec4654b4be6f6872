import type { ChatSessionStore } from '../chat/session-services.ts'
import { Bot } from 'lucide-react'
import type { Ask } from '@troupe/core'
import type { DataParts } from '@troupe/core/protocol'
import { useMemo } from 'react'
import { OpenAsk } from '../chat/open-ask.tsx'
import { SessionContext, useSession, useSessionStore } from '../chat/session-context.ts'
import { ToolPart } from '../chat/tool-part.tsx'
import { agentPanel } from '../sub-agents/agent-panel.ts'
import { t } from '../texts/t.ts'
import { Moment } from '../ui/moment.tsx'
import { VisibleText } from '../ui/visible-text.tsx'
import { useWorkspace } from '../workspace.ts'
import { toToolCallPart } from './call-of.ts'

/** One ask, shown and answered as in its session. */
export function AskEntry({ ask, onLeave }: { ask: Ask; onLeave: () => void }) {
  const workspace = useWorkspace()
  const store = useMemo(() => workspace.session(ask.sessionId), [workspace, ask.sessionId])
  const subAgents = ask.agentPath.slice(1)
  return (
    <article className="inbox-ask" tabIndex={-1} data-ask={ask.id} aria-label={ask.title}>
      <p className="inbox-facts">
        {subAgents.length > 0 && <AskingAgent ask={ask} store={store} onLeave={onLeave} />}
        <Moment time={ask.createdAt} />
      </p>
      <SessionContext value={store}>
        {ask.kind === 'approval' || ask.kind === 'browser' ? <ApprovalAsk ask={ask} /> : <AskForm ask={ask} />}
      </SessionContext>
    </article>
  )
}

/** Who asks; the way to its conversation, where that is known. */
function AskingAgent({ ask, store, onLeave }: { ask: Ask; store: ChatSessionStore; onLeave: () => void }) {
  const { app } = useWorkspace()
  const { agentId, agentPath, sessionId } = ask
  const content = (
    <>
      <Bot aria-hidden />
      <VisibleText text={agentPath.slice(1).join(' › ')} as="name" />
    </>
  )
  if (agentId === undefined) return <span className="inbox-agent">{content}</span>
  return (
    <button
      type="button"
      className="inbox-agent"
      aria-label={t.inbox.showAgent(agentPath.at(-1) ?? '')}
      onClick={() => {
        onLeave()
        app.select(sessionId)
        store.panels.open(agentPanel(store.agents, agentId))
      }}
    >
      {content}
    </button>
  )
}

function ApprovalAsk({ ask }: { ask: Ask }) {
  const part = useMemo(() => toToolCallPart(ask), [ask])
  return <ToolPart part={part} progress={undefined} live latest />
}

function AskForm({ ask }: { ask: Ask }) {
  const store = useSessionStore()
  const sending = useSession((state) => state.answering.includes(ask.id))
  return (
    <OpenAsk ask={ask as DataParts['ask']} sending={sending} answer={(given) => void store.answer(ask.id, given)} />
  )
}
