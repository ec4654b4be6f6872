import { lazy, Suspense } from 'react'
import { isRecord } from '../api/read-fields.ts'
import { GenericCard } from '../chat/parts/generic-card.tsx'
import { ToolFrame } from '../chat/parts/tool-frame.tsx'
import type { CardProps } from '../chat/session/message-parts.ts'
import { useHasOpenAsk } from '../chat/session/session-hooks.ts'
import { t } from '../texts/t.ts'

const FormCard = lazy(() => import('../content/form-card.tsx').then(({ FormCard }) => ({ default: FormCard })))

/** Shows the streaming components, then the submitted values. The form replaces the card while the ask is open. */
export default function JsonRenderCard({ call }: CardProps) {
  const waits = useHasOpenAsk(call)
  if (waits) return null
  const isMade = call.state === 'output-available'
  if (!isRecord(call.input) || (!isMade && !call.running)) return <GenericCard call={call} />
  return (
    <ToolFrame call={call} open={call.running || call.latest} keepsOpen>
      <Suspense fallback={<p className="tool-remark">{t.previews.loading}</p>}>
        <FormCard input={call.input} output={isMade ? call.output : undefined} />
      </Suspense>
    </ToolFrame>
  )
}
