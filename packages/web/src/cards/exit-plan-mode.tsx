import { isRecord, textIn } from '../api/read-fields.ts'
import { GenericCard } from '../chat/parts/generic-card.tsx'
import { ToolFrame } from '../chat/parts/tool-frame.tsx'
import type { CardProps } from '../chat/session/message-parts.ts'
import { useHasOpenAsk } from '../chat/session/session-hooks.ts'
import { Markdown } from '../content/markdown.tsx'
import '../texts/show-cards.ts'
import { t } from '../texts/t.ts'
import { VisibleText } from '../ui/elements.tsx'

/** Shows the plan and the decision. The form replaces the card while the ask is open. */
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
          <VisibleText text={t.cards.feedback(remark)} />
        </p>
      )}
    </ToolFrame>
  )
}
