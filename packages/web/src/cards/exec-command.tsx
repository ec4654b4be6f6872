import { CommandCard } from '../chat/command-card.tsx'
import type { CardProps } from '../chat/tool-call.ts'

export default function ExecCommandCard({ call }: CardProps) {
  return <CommandCard call={call} field="cmd" />
}
