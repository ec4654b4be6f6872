import type { Ask } from '@troupe/core'
import { Bot, Hand } from 'lucide-react'
import { lazy, Suspense } from 'react'
import { useStore } from 'zustand'
import { useSession, useSessionStore } from '../chat/session/session-context.ts'
import { frontPanel, panelId } from '../state/panels-state.ts'
import { t } from '../texts/t.ts'
import { Button } from '../ui/button.tsx'
import { VisibleText } from '../ui/elements.tsx'
import { useApp, useWorkspace } from '../workspace/workspace.ts'
import './sub-agent-asks.css'

const ApprovalAsk = lazy(() => import('../inbox/ask-card.tsx').then((loaded) => ({ default: loaded.ApprovalAsk })))

/**
 * Several approvals, to review together, or the one of a sub-agent, which has no card in the answer. It can be answered
 * in one place: here, or in the agent's panel while that is in view.
 */
export function SubAgentAsks() {
  const { app } = useWorkspace()
  const sessionId = useSession((state) => state.sessionId)
  const asks = useApp((state) => state.asks)
  const own = asks.filter((ask) => ask.sessionId === sessionId)
  const below = own.filter((ask) => ask.agentPath.length > 1)
  const approvals = own.filter(({ kind }) => kind === 'approval').length
  const [first] = below
  const isInPanel = usePanelInView(first)
  const isHere = approvals === 1 && first?.kind === 'approval' && !isInPanel
  return (
    <div className="asks-below">
      <output className="asks-below-line" aria-live="polite">
        {approvals > 1 && (
          <>
            <Hand aria-hidden />
            <span>{t.review.waiting(approvals)}</span>
            <Button onClick={() => app.review(sessionId)}>{t.review.open(approvals)}</Button>
          </>
        )}
        {approvals < 2 && first !== undefined && (
          <>
            <Bot aria-hidden />
            <span>
              <b>
                <VisibleText text={first.agentPath.at(-1) ?? ''} as="name" />
              </b>{' '}
              {isHere ? t.inbox.asks : t.inbox.needsAttention} {/* The card below shows it, but is not announced. */}
              <span className={isHere ? 'visually-hidden' : undefined}>
                <VisibleText text={first.title} as="name" />
              </span>
              {below.length > 1 && t.inbox.andMore(below.length - 1)}
            </span>
            {isInPanel && <span className="asks-below-place">{t.inbox.inPanel}</span>}
            {!isHere && !isInPanel && <Button onClick={() => app.setDialog('inbox')}>{t.inbox.answer}</Button>}
          </>
        )}
      </output>
      {isHere && (
        <Suspense>
          <ApprovalAsk key={first.id} ask={first} />
        </Suspense>
      )}
    </div>
  )
}

/** True while the conversation of the agent that asks is shown beside the chat. */
function usePanelInView(ask: Ask | undefined): boolean {
  const { panels } = useSessionStore()
  return useStore(
    panels,
    (state) =>
      ask?.agentId !== undefined &&
      !state.hidden &&
      frontPanel(state)?.id === panelId({ kind: 'agent', key: ask.agentId }),
  )
}
