import { GenericCard } from '../chat/generic-card.tsx'
import type { CardProps } from '../chat/tool-call.ts'
import { ToolFrame } from '../chat/tool-frame.tsx'
import { PersonAction } from '../page-tools/person-act.tsx'
import { useAwaitsClick } from '../page-tools/use-asked.ts'
import { t } from '../texts/t.ts'

/** The clipboard is read when the person clicks; where the browser does not let the page, they paste it. */
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
