import { CommandCard } from '../chat/parts/generic-card.tsx'
import type { CardProps } from '../chat/session/message-parts.ts'

/** The tool input is the code itself. */
export default function JsReplCard({ call }: CardProps) {
  return <CommandCard call={call} />
}
