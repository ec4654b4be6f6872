import { GenericCard } from '../chat/parts/generic-card.tsx'
import { PersonAction, useAwaitsClick } from '../chat/parts/person-action.tsx'
import { ToolFrame } from '../chat/parts/tool-frame.tsx'
import type { CardProps } from '../chat/session/message-parts.ts'
import '../texts/show-cards.ts'
import { t } from '../texts/t.ts'

/** Reads the clipboard on a user click. If the browser blocks that, the user pastes instead. */
export default function ReadClipboardCard({ call }: CardProps) {
  if (!useAwaitsClick(call)) return <GenericCard call={call} />
  return (
    <ToolFrame call={call} title={t.pageTools.clipboardTitle} open keepsOpen>
      <PersonAction
        call={call}
        action="read-clipboard"
        label={t.pageTools.shareClipboard}
        about={t.pageTools.clipboardAbout}
        otherwise={(send) => (
          <textarea
            rows={3}
            aria-label={t.pageTools.pasteHere}
            placeholder={t.pageTools.pasteHere}
            onPaste={(event) => send({ text: event.clipboardData.getData('text') })}
          />
        )}
      />
    </ToolFrame>
  )
}
