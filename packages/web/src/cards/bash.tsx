import { CommandCard } from '../chat/parts/generic-card.tsx'
import type { CardProps } from '../chat/session/message-parts.ts'

export default function BashCard({ call }: CardProps) {
  return <CommandCard call={call} field="command" />
}
