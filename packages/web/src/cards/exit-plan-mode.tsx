import { GenericCard } from '../chat/generic-card.tsx'
import type { CardProps } from '../chat/tool-call.ts'
import { ToolFrame } from '../chat/tool-frame.tsx'
import { useHasOpenAsk } from '../chat/use-waits.ts'
import { isRecord, textIn } from '../displays/parts/read-fields.ts'
import { Markdown } from '../markdown/markdown.tsx'
import { t } from '../texts/t.ts'
import { VisibleText } from '../ui/visible-text.tsx'

/** The plan and what became of it. While the person is asked, there is the form. */
export default function ExitPlanModeCard({ call }: CardProps) {
  const waits = useHasOpenAsk(call)
  if (waits) return null
  const output = isRecord(call.output) ? call.output : {}
  const plan = textIn(output['plan'])
  const remark = textIn(output['remark'])
  if (call.state !== 'output-available' || plan === undefined) return <GenericCard call={call} />
  return (
    <ToolFrame call={call}>
      <Markdown text={plan} done />
      {remark !== undefined && (
        <p className="tool-remark">
          <VisibleText text={t.cards.youSaid(remark)} />
        </p>
      )}
    </ToolFrame>
  )
}
