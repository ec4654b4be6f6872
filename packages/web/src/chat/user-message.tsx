import { Pencil } from 'lucide-react'
import { useState } from 'react'
import type { SiblingPlace } from '@troupe/core'
import { ReferenceChips } from '../composer-picks/brought-parts.tsx'
import { t } from '../texts/t.ts'
import { CopyButton } from '../ui/copy-button.tsx'
import { expectFocus } from '../ui/expect-focus.ts'
import { IconButton } from '../ui/icon-button.tsx'
import { Moment } from '../ui/moment.tsx'
import { BranchArrows } from './branch-arrows.tsx'
import { FilePart } from './file-part.tsx'
import { MessageEditor } from './message-editor.tsx'
import { MessageActions } from './message-actions.tsx'
import { MessageMenu } from './message-menu.tsx'
import { useSession, useSessionStore } from './session-context.ts'
import { messageText } from './session-state.ts'
import type { VisibleMessage } from './session-state.ts'

export function UserMessage({ message, place }: { message: VisibleMessage; place: SiblingPlace | undefined }) {
  const { edit } = useSessionStore()
  const busy = useSession((state) => state.run !== null)
  const isTask = useSession((state) => state.agentId !== null)
  const [editing, setEditing] = useState(false)
  const text = messageText(message)
  if (editing && !busy) {
    return (
      <article className="message message-user" aria-label={t.chat.youEditing} data-message={message.id}>
        <MessageEditor
          text={text}
          onCancel={() => {
            expectFocus(() => document.querySelector(`[data-message="${CSS.escape(message.id)}"] .message-edit`))
            setEditing(false)
          }}
          onSave={(changed) => {
            setEditing(false)
            void edit(message.id, changed)
          }}
        />
      </article>
    )
  }
  // Known before the arrows are drawn, which would move what is below otherwise.
  const isBranched = place !== undefined && place.total > 1
  return (
    <article
      className={isBranched ? 'message message-user message-branched' : 'message message-user'}
      aria-label={isTask ? t.chat.task : t.chat.you}
      data-message={message.id}
    >
      {message.parts.map((part, index) =>
        part.type === 'file' ? (
          <FilePart key={index} url={part.url} mediaType={part.mediaType} name={part.filename} />
        ) : null,
      )}
      <ReferenceChips parts={message.parts} />
      {text !== '' && <div className="bubble">{text}</div>}
      <MessageActions>
        {text !== '' && <CopyButton text={text} label={t.chat.copyMessage} />}
        {!isTask && (
          <IconButton
            className="message-edit"
            label={busy ? t.chat.editWhenDone : t.chat.edit}
            disabled={busy}
            onClick={() => setEditing(true)}
          >
            <Pencil />
          </IconButton>
        )}
        <MessageMenu message={message} />
        <BranchArrows place={place} />
        <span className="facts">
          <Moment time={message.createdAt} />
        </span>
      </MessageActions>
    </article>
  )
}
