import { GenericCard } from '../chat/generic-card.tsx'
import { ToolFrame } from '../chat/tool-frame.tsx'
import type { CardProps } from '../chat/tool-call.ts'
import { isRecord } from '../displays/parts/read-fields.ts'
import { VisibleText } from '../ui/visible-text.tsx'

/** Without a provider the result is how to set one up. */
export default function WebSearchCard({ call }: CardProps) {
  const setup = isRecord(call.output) ? call.output['setup'] : undefined
  if (typeof setup !== 'string') return <GenericCard call={call} />
  return (
    <ToolFrame call={call} open={call.latest}>
      <p className="tool-remark">
        <VisibleText text={setup} />
      </p>
    </ToolFrame>
  )
}
