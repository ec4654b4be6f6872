import { ChevronUp, ListTodo, X } from 'lucide-react'
import { useId } from 'react'
import { currentItem, planItems } from '../chat/session/active-plan.ts'
import type { ToolCallPart } from '../chat/session/message-parts.ts'
import { useRetainedState } from '../chat/session/session-hooks.ts'
import ChecklistDisplay from '../displays/checklist.tsx'
import '../texts/show-cards.ts'
import { t } from '../texts/t.ts'
import { IconButton } from '../ui/button.tsx'
import { Group, VisibleText } from '../ui/elements.tsx'
import './plan-bar.css'

/** The plan in progress as one line above the message field. Opens to the whole list. */
export function PlanBar({ plan }: { plan: ToolCallPart }) {
  const [isOpen, setOpen] = useRetainedState('plan-open', false)
  const [hidden, setHidden] = useRetainedState('plan-hidden', '')
  const listId = useId()
  // A hidden plan comes back with its next change.
  if (hidden === plan.toolCallId) return null
  const { place, total, text } = currentItem(plan)
  return (
    <Group className="plan-bar" label={t.cards.plan}>
      <div id={listId} className="plan-list" hidden={!isOpen}>
        {isOpen && <ChecklistDisplay content={{ kind: 'checklist', items: planItems(plan) }} />}
      </div>
      <div className="plan-row">
        <button
          type="button"
          className="plan-line"
          aria-expanded={isOpen}
          aria-controls={listId}
          onClick={() => setOpen(!isOpen)}
        >
          <ListTodo aria-hidden />
          <span className="plan-place">{t.cards.place(place, total)}</span>
          <span className="plan-text" dir="auto">
            {isOpen ? t.cards.plan : <VisibleText text={text} as="name" />}
          </span>
          <ChevronUp aria-hidden />
        </button>
        <IconButton label={t.cards.hidePlan} onClick={() => setHidden(plan.toolCallId)}>
          <X />
        </IconButton>
      </div>
    </Group>
  )
}
