import { GenericCard } from '../chat/parts/generic-card.tsx'
import { PersonAction, useAwaitsClick } from '../chat/parts/person-action.tsx'
import { ToolFrame } from '../chat/parts/tool-frame.tsx'
import type { CardProps } from '../chat/session/message-parts.ts'
import '../texts/show-cards.ts'
import { t } from '../texts/t.ts'

/** Lets the user pick files. The page sees nothing else on their disk. */
export default function PickFileCard({ call }: CardProps) {
  if (!useAwaitsClick(call)) return <GenericCard call={call} />
  return (
    <ToolFrame call={call} title={t.pageTools.pickTitle} open keepsOpen>
      <PersonAction call={call} action="pick-file" label={t.pageTools.pick} about={t.pageTools.pickAbout} />
    </ToolFrame>
  )
}
