import type { SiblingPlace } from '@troupe/core'
import { ChevronLeft, ChevronRight, Ellipsis } from 'lucide-react'
import { createContext, lazy, type ReactNode, useContext, useDeferredValue } from 'react'
import { TeamPart } from '../../state/team.tsx'
import { t } from '../../texts/t.ts'
import { IconButton } from '../../ui/button.tsx'
import { expectFocus } from '../../ui/focus.ts'
import { OnDemand } from '../../ui/menu.tsx'
import { useSession, useSessionStore } from '../session/session-context.ts'
import type { VisibleMessage } from '../session/session-state.ts'

/** False until the end of the list has rendered. */
export const TailRenderedContext = createContext(true)

/** Buttons below a message. Mostly hidden and costlier than the text, so they render after all texts. */
export function MessageActions({ children }: { children: ReactNode }) {
  const comesNow = useDeferredValue(useContext(TailRenderedContext), false)
  return <div className="message-actions">{comesNow && children}</div>
}

/** Comments of a team on a message. They are about messages of the chat, not of its sub-agents. */
export function MessageComments({ messageId, part }: { messageId: string; part: 'CommentButton' | 'CommentThread' }) {
  const sessionId = useSession((state) => (state.agentId === null ? state.sessionId : null))
  return sessionId === null ? null : <TeamPart part={part} sessionId={sessionId} messageId={messageId} />
}

export function BranchArrows({ place }: { place: SiblingPlace | undefined }) {
  const { showBranch } = useSessionStore()
  if (place === undefined || place.total < 2) return null
  const show = (id: string, label: string) => {
    // Focus the same arrow at the new message, or the opposite arrow at the last sibling.
    expectFocus(() => {
      const arrows = [
        ...document.querySelectorAll(`[data-message="${CSS.escape(id)}"] .branches button:not(:disabled)`),
      ]
      return arrows.find((one) => one.getAttribute('aria-label') === label) ?? arrows[0]
    })
    void showBranch(id)
  }
  const arrow = (id: string | null, label: string, icon: React.ReactNode) => (
    <IconButton label={label} disabled={id === null} onClick={() => id !== null && show(id, label)}>
      {icon}
    </IconButton>
  )
  return (
    <div className="branches">
      {arrow(place.prev, t.chat.previousBranch, <ChevronLeft />)}
      <span className="branches-place">
        <span className="visually-hidden">{t.chat.branch} </span>
        {place.index} / {place.total}
      </span>
      {arrow(place.next, t.chat.nextBranch, <ChevronRight />)}
    </div>
  )
}

const Items = lazy(() => import('./message-menu-items.tsx').then((module) => ({ default: module.MessageMenuItems })))

export function MessageMenu({ message }: { message: VisibleMessage }) {
  return (
    <OnDemand
      button={
        <button type="button" className="icon-button" aria-haspopup="menu" aria-label={t.chat.more} title={t.chat.more}>
          <Ellipsis />
        </button>
      }
    >
      {(button, onClosed) => <Items message={message} button={button} onClosed={onClosed} />}
    </OnDemand>
  )
}
