import { CommandCard } from '../chat/command-card.tsx'
import type { CardProps } from '../chat/tool-call.ts'

/** Its input is the code itself. */
export default function JsReplCard({ call }: CardProps) {
  return <CommandCard call={call} />
}
