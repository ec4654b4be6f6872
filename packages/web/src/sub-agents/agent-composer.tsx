import { ArrowUp, CornerDownRight } from 'lucide-react'
import { newId } from '@troupe/core/protocol'
import { useShallow } from 'zustand/react/shallow'
import { useSession, useSessionStore } from '../chat/session-context.ts'
import { visibleMessages } from '../chat/session-state.ts'
import type { SessionState } from '../chat/session-state.ts'
import { useRetainedState } from '../chat/use-kept.ts'
import { keyNames } from '../shortcuts/keys.ts'
import { t } from '../texts/t.ts'
import { GrowingTextarea } from '../ui/growing-textarea.tsx'
import { IconButton } from '../ui/icon-button.tsx'
import { isAgentActive } from './sub-agent.ts'
import { deliveredMessages, undeliveredMessages } from './told-pending.ts'
import type { SentMessage } from './told-pending.ts'
import { useSubAgents } from './use-sub-agents.ts'

/** Tells an agent more: one at work reads it at its next step, one that has ended goes on with it. */
export function AgentComposer({ agentId }: { agentId: string }) {
  const { send, setDraft, getState } = useSessionStore()
  const draft = useSession((state) => state.draft)
  const name = useSubAgents(({ agents }) => agents.get(agentId)?.name ?? t.subAgents.theAgent)
  const works = useSubAgents(({ agents }) => isAgentActive(agents.get(agentId) ?? { status: 'completed' }))
  const isBusy = useSubAgents(({ busy }) => busy.has(agentId))
  const [told, setTold] = useRetainedState<readonly SentMessage[]>('told', [])
  const pending = useSession(
    useShallow((state) => (works && told.length > 0 ? undeliveredMessages(told, deliveredIn(state)) : [])),
  )
  const isReady = draft.trim() !== '' && !isBusy

  const submit = () => {
    if (!isReady) return
    const last = deliveredIn(getState()).at(-1)
    setTold([...pending, { id: newId('t'), text: draft, after: last?.id ?? null }])
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
          <span className="visually-hidden">{t.subAgents.waitsForStep}</span>
        </div>
      ))}
      <div className="agent-composer-box">
        <GrowingTextarea
          aria-label={t.subAgents.messageTo(name)}
          placeholder={works ? t.subAgents.tellMore : t.subAgents.goOn}
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
          label={t.subAgents.tell}
          shortcut={keyNames('Enter').join(' ')}
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
