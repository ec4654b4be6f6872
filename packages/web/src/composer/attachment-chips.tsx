import { FileText, TextCursorInput, X } from 'lucide-react'
import { isDemoModel, modelName } from '../api/models.ts'
import { pageAccess } from '../api/page-access.ts'
import { useSession, useSessionStore } from '../chat/session/session-context.ts'
import type { DraftAttachment } from '../chat/session/session-state.ts'
import { isOwnImage } from '../markdown/marked-options.ts'
import { formatSize } from '../texts/format.ts'
import '../texts/show-late.ts'
import { t } from '../texts/t.ts'
import { IconButton } from '../ui/button.tsx'
import { VisibleText } from '../ui/elements.tsx'
import { useApp, useCurrentModel } from '../workspace/workspace.ts'
import './attachment-chips.css'

export function AttachmentChips({ isAwaited }: { isAwaited: boolean }) {
  const { detach, setDraft, getState } = useSessionStore()
  const attachments = useSession((state) => state.attachments)
  const unseen = useUnseen(attachments)
  if (attachments.length === 0) return null
  return (
    <>
      <ul className="chips" aria-label={t.attachments.attached}>
        {attachments.map((attachment) => {
          const { id, name, size, text } = attachment
          return (
            <li key={id} className="chip" title={size > 0 ? `${name}, ${formatSize(size)}` : name}>
              <Picture attachment={attachment} />
              <span className="chip-name">
                <VisibleText text={name} as="name" />
              </span>
              {text !== undefined && (
                <IconButton
                  label={t.attachments.asText(name)}
                  onClick={() => {
                    detach(id)
                    setDraft([getState().draft, text].filter((piece) => piece !== '').join('\n'))
                  }}
                >
                  <TextCursorInput />
                </IconButton>
              )}
              <IconButton label={t.attachments.remove(name)} onClick={() => detach(id)}>
                <X />
              </IconButton>
            </li>
          )
        })}
      </ul>
      {isAwaited && <output className="chips-note">{t.attachments.sendsLater}</output>}
      {unseen !== undefined && <p className="chips-note">{unseen}</p>}
    </>
  )
}

/** Warns before sending that the model may not see images. Of everything else it gets at least the text. */
function useUnseen(attachments: readonly DraftAttachment[]): string | undefined {
  const current = useCurrentModel()
  const model = useApp((state) => state.models.find(({ ref }) => ref === current))
  if (model === undefined || isDemoModel(model.ref)) return undefined
  const hasImage = attachments.some(({ mediaType }) => mediaType.startsWith('image/'))
  return hasImage && !model.tags.includes('vision') ? t.attachments.cannotLook(modelName(model)) : undefined
}

function Picture({ attachment: { mediaType, url, sent = 0 } }: { attachment: DraftAttachment }) {
  if (url === null) {
    const percent = Math.round(sent * 100)
    return (
      <progress
        className="chip-progress"
        max={100}
        value={percent}
        aria-label={percent === 0 ? t.attachments.uploading : t.attachments.progress(percent)}
      />
    )
  }
  return isOwnImage(url) && mediaType.startsWith('image/') ? (
    <img src={pageAccess.link(url)} alt="" />
  ) : (
    <FileText aria-hidden />
  )
}
