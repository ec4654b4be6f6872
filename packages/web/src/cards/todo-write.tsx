import { GenericCard } from '../chat/parts/generic-card.tsx'
import { ToolFrame } from '../chat/parts/tool-frame.tsx'
import type { CardProps } from '../chat/session/message-parts.ts'
import ChecklistDisplay from '../displays/checklist.tsx'
import '../texts/show-cards.ts'
import { t } from '../texts/t.ts'

/** Shows the plan after this call. Only the newest card is open. */
export default function TodoWriteCard({ call }: CardProps) {
  const todos = (call.output as { todos?: { status?: unknown }[] } | undefined)?.todos
  if (!Array.isArray(todos)) return <GenericCard call={call} />
  const done = todos.filter((todo) => todo?.status === 'completed').length
  return (
    <ToolFrame
      call={call}
      title={call.notes.actionName ?? t.cards.plan}
      summary={todos.length === 0 ? t.cards.cleared : t.cards.done(done, todos.length)}
      open={call.latest && todos.length > 0}
    >
      <ChecklistDisplay content={{ kind: 'checklist', items: todos }} />
    </ToolFrame>
  )
}
