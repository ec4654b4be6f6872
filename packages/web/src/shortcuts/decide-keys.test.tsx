import { expect, test, vi } from 'vitest'
import { button, field, press, render, type } from '../testing/render.tsx'
import { decideInChat } from './decide-ask.ts'
import { useShortcuts } from './shortcuts.ts'

function Asking({ pressed }: { pressed: string[] }) {
  useShortcuts()
  return (
    <div className="chat" onKeyDown={decideInChat}>
      <div role="log" tabIndex={0} />
      <fieldset className="approval" data-since="0">
        {['approve', 'remember', 'deny'].map((decision) => (
          <button key={decision} type="button" data-decision={decision} onClick={() => pressed.push(decision)}>
            {decision}
          </button>
        ))}
      </fieldset>
      <textarea aria-label="Message" />
    </div>
  )
}

async function show() {
  vi.spyOn(performance, 'now').mockReturnValue(10_000)
  vi.spyOn(Element.prototype, 'getBoundingClientRect').mockReturnValue(new DOMRect(0, 0, 100, 100))
  const pressed: string[] = []
  const { view } = await render(<Asking pressed={pressed} />, { app: { access: 'open', dialog: null } })
  return { pressed, log: view.querySelector<HTMLElement>('[role=log]')! }
}

test('from the conversation, 1, 2 and 3 decide the request in view; in the message they are text', async () => {
  const { pressed, log } = await show()
  for (const key of ['1', '2', '3']) await press(log, key)
  expect(pressed).toEqual(['approve', 'remember', 'deny'])
  await press(field('Message'), '1')
  await press(log, '1', { ctrlKey: true })
  await press(log, 'Escape')
  expect(pressed).toHaveLength(3)
})

test('Alt+Y and Alt+N decide from an empty message box, and type in one with text', async () => {
  const { pressed } = await show()
  await press(field('Message'), 'y', { altKey: true, code: 'KeyY' })
  await press(field('Message'), 'n', { altKey: true, code: 'KeyN' })
  expect(pressed).toEqual(['approve', 'deny'])
  await type(field('Message'), 'and then')
  await press(field('Message'), 'y', { altKey: true, code: 'KeyY' })
  expect(pressed).toHaveLength(2)
  await press(button('deny'), 'y', { altKey: true, code: 'KeyY' })
  expect(pressed).toEqual(['approve', 'deny', 'approve'])
})
