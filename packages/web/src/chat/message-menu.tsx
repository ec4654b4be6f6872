import { Ellipsis } from 'lucide-react'
import { lazy } from 'react'
import { t } from '../texts/t.ts'
import { OnDemand } from '../ui/on-demand.tsx'
import type { VisibleMessage } from './session-state.ts'

const Items = lazy(() => import('./message-menu-items.tsx').then((module) => ({ default: module.MessageMenuItems })))

/** What is done to a message now and then. */
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
