import { Inbox } from 'lucide-react'
import { keyNames } from '../shortcuts/keys.ts'
import { t } from '../texts/t.ts'
import { IconButton } from '../ui/icon-button.tsx'
import { useApp, useWorkspace } from '../workspace.ts'
import './inbox-button.css'

/** How much waits for the person, in any session; opens the inbox. */
export function InboxButton() {
  const { app } = useWorkspace()
  const count = useApp((state) => state.asks.length)
  return (
    <IconButton
      className="inbox-button"
      label={count === 0 ? t.inbox.nothingWaits : t.inbox.count(count)}
      shortcut={keyNames('Mod+I').join(' ')}
      aria-haspopup="dialog"
      onClick={() => app.setDialog('inbox')}
    >
      <Inbox />
      {count > 0 && <span className="inbox-count">{count}</span>}
    </IconButton>
  )
}
