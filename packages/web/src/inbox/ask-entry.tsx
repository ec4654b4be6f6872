import { Bot } from 'lucide-react'
import type { Ask } from '@troupe/core'
import type { DataParts } from '@troupe/core/protocol'
import { useMemo } from 'react'
import { OpenAsk } from '../chat/open-ask.tsx'
import { SessionContext, useSession, useSessionStore } from '../chat/session-context.ts'
import { ToolPart } from '../chat/tool-part.tsx'
import { Moment } from '../ui/moment.tsx'
import { VisibleText } from '../ui/visible-text.tsx'
import { useWorkspace } from '../workspace.ts'
import { callOf } from './call-of.ts'

/** One ask, shown and answered as in its session. */
export function AskEntry({ ask }: { ask: Ask }) {
  const workspace = useWorkspace()
  const store = useMemo(() => workspace.session(ask.sessionId), [workspace, ask.sessionId])
  const subAgents = ask.agentPath.slice(1)
  return (
    <article className="inbox-ask" tabIndex={-1} data-ask={ask.id} aria-label={ask.title}>
      <p className="inbox-facts">
        {subAgents.length > 0 && (
          <span className="inbox-agent">
            <Bot aria-hidden />
            <VisibleText text={subAgents.join(' › ')} as="name" />
          </span>
        )}
        <Moment time={ask.createdAt} />
      </p>
      <SessionContext value={store}>
        {ask.kind === 'approval' ? <Approval ask={ask} /> : <Form ask={ask} />}
      </SessionContext>
    </article>
  )
}

function Approval({ ask }: { ask: Ask }) {
  const part = useMemo(() => callOf(ask), [ask])
  return <ToolPart part={part} progress={undefined} live latest />
}

function Form({ ask }: { ask: Ask }) {
  const store = useSessionStore()
  const sending = useSession((state) => state.answering.includes(ask.id))
  return (
    <OpenAsk ask={ask as DataParts['ask']} sending={sending} answer={(given) => void store.answer(ask.id, given)} />
  )
}
