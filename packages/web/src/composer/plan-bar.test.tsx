import { expect, test } from 'vitest'
import type { ToolCallPart } from '../chat/session/message-parts.ts'
import { button, click, render } from '../testing/render.tsx'
import { t } from '../texts/t.ts'
import { PlanBar } from './plan-bar.tsx'

const plan = (toolCallId: string, ...states: string[]) =>
  ({
    type: 'tool-TodoWrite',
    toolCallId,
    state: 'output-available',
    input: {},
    output: { todos: states.map((status, index) => ({ content: `Task ${index + 1}`, status })) },
  }) as unknown as ToolCallPart

test('the plan is one line, opens to the whole list, and a hidden one comes back when it changes', async () => {
  const { view, draw } = await render(<PlanBar plan={plan('1', 'completed', 'in_progress', 'pending')} />)
  const line = view.querySelector<HTMLElement>('.plan-line')
  expect(line?.textContent).toBe(`${t.cards.place(2, 3)}Task 2`)
  expect(view.querySelectorAll('li')).toHaveLength(0)
  await click(line as HTMLElement)
  expect(view.querySelectorAll('li')).toHaveLength(3)
  await draw(<PlanBar plan={plan('2', 'completed', 'completed', 'in_progress')} />)
  expect(view.querySelectorAll('.check-completed')).toHaveLength(2)
  await click(button(t.cards.hidePlan))
  expect(view.textContent).toBe('')
  await draw(<PlanBar plan={plan('3', 'completed', 'completed', 'pending')} />)
  expect(view.textContent).toContain('Task 3')
})
