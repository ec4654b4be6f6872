import { GenericCard } from '../chat/generic-card.tsx'
import type { CardProps } from '../chat/tool-call.ts'
import { ToolFrame } from '../chat/tool-frame.tsx'
import { PersonAction } from '../page-tools/person-act.tsx'
import { useAwaitsClick } from '../page-tools/use-asked.ts'
import { t } from '../texts/t.ts'

/** The person picks files of theirs; nothing else of their disk is seen. */
export default function PickFileCard({ call }: CardProps) {
  if (!useAwaitsClick(call)) return <GenericCard call={call} />
  return (
    <ToolFrame call={call} title={t.pageTools.pickTitle} open keepsOpen>
      <PersonAction call={call} action="pick-file" label={t.pageTools.pick} about={t.pageTools.pickAbout} />
    </ToolFrame>
  )
}
