import { ArrowUpRight, X } from 'lucide-react'
import type { Ask } from '@troupe/core'
import { useRef } from 'react'
import { findSession } from '../find-session.ts'
import { t } from '../texts/t.ts'
import { Button } from '../ui/button.tsx'
import { Dialog } from '../ui/dialog.tsx'
import { IconButton } from '../ui/icon-button.tsx'
import { VisibleText } from '../ui/visible-text.tsx'
import { useApp, useWorkspace } from '../workspace.ts'
import { AskEntry } from './ask-entry.tsx'
import { NotifyBlocked, NotifySwitch } from './notify-switch.tsx'
import { useFocusedAsk } from './use-focused-ask.ts'
import { useClickGuard } from './use-steady-clicks.ts'
import './inbox-dialog.css'

/** Everything that waits for the person, in any session and at any depth, with what it takes to answer it here. */
export function InboxDialog() {
  const { app } = useWorkspace()
  const asks = useApp((state) => state.asks)
  const dialog = useRef<HTMLDialogElement>(null)
  const body = useRef<HTMLDivElement>(null)
  useFocusedAsk(body, asks)
  useClickGuard(body, asks)
  const groups = [...Map.groupBy(asks, ({ sessionId }) => sessionId)]
  return (
    <Dialog ref={dialog} title={t.inbox.title} className="inbox" onClose={() => app.setDialog(null)}>
      <div className="inbox-tools">
        <NotifySwitch />
        <IconButton label={t.inbox.close} shortcut="Esc" onClick={() => dialog.current?.close()}>
          <X />
        </IconButton>
      </div>
      <div ref={body} className="inbox-body">
        <NotifyBlocked />
        {asks.length === 0 && (
          <p className="inbox-none" tabIndex={-1} data-ask="">
            {t.inbox.nothing}
          </p>
        )}
        {groups.map(([sessionId, members]) => (
          <SessionAsks key={sessionId} sessionId={sessionId} asks={members} onLeave={() => dialog.current?.close()} />
        ))}
      </div>
    </Dialog>
  )
}

function SessionAsks({ sessionId, asks, onLeave }: { sessionId: string; asks: Ask[]; onLeave: () => void }) {
  const { app } = useWorkspace()
  const title = useApp((state) => findSession(state, sessionId)?.title) || t.inbox.untitled
  return (
    <section className="inbox-session" aria-label={title}>
      <header className="inbox-session-head">
        <h3>
          <VisibleText text={title} as="name" />
        </h3>
        <Button
          kind="quiet"
          aria-label={t.inbox.goTo(title)}
          onClick={() => {
            onLeave()
            app.select(sessionId)
          }}
        >
          {t.inbox.goThere}
          <ArrowUpRight aria-hidden />
        </Button>
      </header>
      {asks.map((ask) => (
        <AskEntry key={ask.id} ask={ask} onLeave={onLeave} />
      ))}
    </section>
  )
}
