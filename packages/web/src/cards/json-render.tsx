import { lazy, Suspense } from 'react'
import { GenericCard } from '../chat/generic-card.tsx'
import type { CardProps } from '../chat/tool-call.ts'
import { ToolFrame } from '../chat/tool-frame.tsx'
import { useHasOpenAsk } from '../chat/use-waits.ts'
import { isRecord } from '../displays/parts/read-fields.ts'
import { t } from '../texts/t.ts'

const FormCard = lazy(() => import('../previews/ui/form-card.tsx').then(({ FormCard }) => ({ default: FormCard })))

/** A page or form of components: while it comes, then what the person has sent. While they are asked, there is the form. */
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
