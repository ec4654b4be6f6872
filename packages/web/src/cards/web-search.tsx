import { isRecord } from '../api/read-fields.ts'
import { GenericCard } from '../chat/parts/generic-card.tsx'
import { ToolFrame } from '../chat/parts/tool-frame.tsx'
import type { CardProps } from '../chat/session/message-parts.ts'
import { VisibleText } from '../ui/elements.tsx'

/** Without a search provider, the result explains how to set one up. */
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
