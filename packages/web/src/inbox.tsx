import { Inbox as InboxIcon } from 'lucide-react'
import { Popover } from 'radix-ui'
import { useState } from 'react'
import { VisibleText } from './ui/visible-text.tsx'
import { useApp, useWorkspace } from './workspace.ts'
import './inbox.css'

/** Everything that waits for the person, in any session; a click leads there. */
export function Inbox() {
  const { app } = useWorkspace()
  const asks = useApp((state) => state.asks)
  const sessions = useApp((state) => state.sessions)
  const [open, setOpen] = useState(false)
  const label = asks.length === 0 ? 'Nothing waits for you' : `${asks.length} waiting for you`
  return (
    <Popover.Root open={open} onOpenChange={setOpen}>
      <Popover.Trigger className="icon-button inbox-trigger" aria-label={label} title={label}>
        <InboxIcon />
        {asks.length > 0 && <span className="inbox-count">{asks.length}</span>}
      </Popover.Trigger>
      <Popover.Portal>
        <Popover.Content
          className="inbox"
          align="end"
          sideOffset={6}
          collisionPadding={10}
          aria-label="Waiting for you"
        >
          {asks.length === 0 && <p className="inbox-none">Nothing waits for you.</p>}
          {asks.map((ask) => (
            <button
              key={ask.id}
              type="button"
              className="inbox-ask"
              onClick={() => {
                app.select(ask.sessionId)
                setOpen(false)
              }}
            >
              <span className="inbox-title">
                <VisibleText text={ask.title} as="name" />
              </span>
              <span className="inbox-session">
                {sessions.find(({ id }) => id === ask.sessionId)?.title ?? ask.toolName}
              </span>
            </button>
          ))}
        </Popover.Content>
      </Popover.Portal>
    </Popover.Root>
  )
}
