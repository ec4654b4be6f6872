import { ExternalLink, PanelRightOpen } from 'lucide-react'
import { isRecord, textIn, webAddress } from '../api/read-fields.ts'
import { GenericCard } from '../chat/parts/generic-card.tsx'
import '../chat/parts/person-action.css'
import { ToolFrame } from '../chat/parts/tool-frame.tsx'
import type { CardProps } from '../chat/session/message-parts.ts'
import { useSessionStore } from '../chat/session/session-context.ts'
import { translateServerText } from '../texts/server-texts.ts'
import '../texts/show-cards.ts'
import { t } from '../texts/t.ts'
import { Button } from '../ui/button.tsx'
import { VisibleText } from '../ui/elements.tsx'

export default function OpenUrlCard({ call }: CardProps) {
  const { panels } = useSessionStore()
  const output = isRecord(call.output) ? call.output : undefined
  const address = webAddress(output?.['url'])
  if (output === undefined || address === undefined) return <GenericCard call={call} />
  const given = isRecord(call.input) ? textIn(call.input['title']) : undefined
  const { href, host } = address
  const note = textIn(output['note'])
  return (
    <ToolFrame call={call} title={t.pageTools.opened} summary={given ?? href} open keepsOpen>
      <div className="person-act">
        {given !== undefined && (
          <p>
            <VisibleText text={href} as="name" />
          </p>
        )}
        {note !== undefined && (
          <p>
            <VisibleText text={translateServerText(note, 'text')} />
          </p>
        )}
        <div className="person-act-buttons">
          <Button
            onClick={() => panels.open({ kind: 'browser', key: href, title: given ?? host, data: { url: href } })}
          >
            <PanelRightOpen aria-hidden />
            {t.panels.openInPanel}
          </Button>
          <a className="button button-plain" href={href} target="_blank" rel="noopener noreferrer nofollow">
            <ExternalLink aria-hidden />
            {t.panels.openInTab}
          </a>
        </div>
      </div>
    </ToolFrame>
  )
}
