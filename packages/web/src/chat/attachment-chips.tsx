import { FileText, LoaderCircle, X } from 'lucide-react'
import { isOwnImage } from '../markdown/marked-options.ts'
import { IconButton } from '../ui/icon-button.tsx'
import { VisibleText } from '../ui/visible-text.tsx'
import { useSession, useSessionStore } from './session-context.ts'
import './attachment-chips.css'

/** The files that go with the next message. */
export function AttachmentChips() {
  const { detach } = useSessionStore()
  const attachments = useSession((state) => state.attachments)
  if (attachments.length === 0) return null
  return (
    <ul className="chips" aria-label="Attached files">
      {attachments.map(({ id, name, mediaType, url }) => (
        <li key={id} className="chip" title={name}>
          {url === null ? (
            <LoaderCircle className="spinning" aria-label="on its way" />
          ) : isOwnImage(url) && mediaType.startsWith('image/') ? (
            <img src={url} alt="" />
          ) : (
            <FileText aria-hidden />
          )}
          <span className="chip-name">
            <VisibleText text={name} as="name" />
          </span>
          <IconButton label={`Remove ${name}`} onClick={() => detach(id)}>
            <X />
          </IconButton>
        </li>
      ))}
    </ul>
  )
}
