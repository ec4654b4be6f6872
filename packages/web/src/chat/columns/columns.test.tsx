import type { StoredMessage } from '@troupe/protocol'
import { expect, test, vi } from 'vitest'
import { message, page } from '../../testing/fake-server.ts'
import { button, change, click, eventually, field, named, press, render } from '../../testing/render.tsx'
import { t } from '../../texts/t.ts'
import { Columns } from './columns.tsx'

const answers = [
  { messageId: 'a1', model: 'acme/one' },
  { messageId: 'a2', model: 'acme/two' },
]
const question = { ...message('u1', 'user', 'hello', null), metadata: { comparison: { answers } } }
const failed = { metadata: { error: { name: 'Refused', message: 'No.' } } }

async function show(second: Partial<StoredMessage> = {}) {
  const shown = await render(<Columns />)
  await change(() => shown.session.setState({ phase: 'ready', messages: [question] }))
  for (const [id, more] of [
    ['a1', {}],
    ['a2', second],
  ] as const)
    await change(() =>
      shown.server.replyJson(
        `/ai/sessions/s1/messages?limit=1&leaf=${id}`,
        page([{ ...message(id, 'assistant', `Text of ${id}`, 'u1'), ...more }]),
      ),
    )
  await eventually(() => shown.view.textContent.includes('Text of a2'))
  return shown
}

test('each answer is a region with its model and status; keys move between them', async () => {
  const { view } = await show(failed)
  const regions = [...view.querySelectorAll<HTMLElement>('[role=region]')]
  expect(regions.map((region) => region.getAttribute('aria-label'))).toEqual([
    t.columnView.column(1, 'acme/one', t.columnView.status.done),
    t.columnView.column(2, 'acme/two', t.columnView.status.failed),
  ])
  const focused = () => regions.indexOf(document.activeElement as HTMLElement)
  await press(document.body, '2', { code: 'Digit2', altKey: true })
  await eventually(() => focused() === 1)
  await press(regions[1]!, 'ArrowLeft')
  await eventually(() => focused() === 0)
  await press(regions[0]!, 'ArrowLeft')
  await eventually(() => focused() === 0)
})

test('only a usable answer can be continued; a failed one can be tried again', async () => {
  const { server } = await show(failed)
  expect(document.querySelectorAll('.column-foot .button')).toHaveLength(1)
  await click(button(t.columnView.continue))
  await change(() => server.replyJson('/ai/sessions/s1/pick', { messageId: 'u1', answers, picked: 'a1' }))
  await eventually(() => server.picked.length > 0)
  expect(server.picked).toEqual(['acme/one'])
  expect(document.querySelector('.columns')).toBeNull()
})

test('a failed column is answered again with its own model', async () => {
  const { server } = await show(failed)
  await click(button(t.chat.tryAgain))
  await eventually(() => server.requests.at(-1)?.path.startsWith('/ai/chat') === true)
  expect(server.requests.at(-1)?.body).toMatchObject({ messageId: 'a2', model: 'acme/two' })
})

test('comparing goes on after a pick only if the user keeps it on; the bar says that changes need approval', async () => {
  const { view, app } = await show()
  expect(view.textContent).toContain(t.columnView.note)
  expect(app.getState().keepsComparing).toBe(false)
  app.compareModels(['acme/one', 'acme/two'])
  await click(field(t.columnView.keep))
  app.modelPicked('s1', 'acme/two')
  expect(app.getState().compared['s1']).toHaveLength(2)
  await click(field(t.columnView.keep))
  app.modelPicked('s1', 'acme/two')
  expect(app.getState().compared['s1']).toEqual([])
  expect(app.getState().chosenModels['s1']).toBe('acme/two')
})

test('details name the model, the time and the tokens', async () => {
  const usage = { inputTokens: 1000, outputTokens: 200, totalTokens: 1200 }
  const { view } = await show({ metadata: { model: 'acme/two', elapsedMs: 4000, usage, cost: 0.02 } })
  await click(named('summary', t.columnView.details))
  const details = [...view.querySelectorAll('.column-details')].at(-1)?.textContent
  expect(details).toContain('acme/two')
  expect(details).toContain('4')
  expect(details).toMatch(/1[.,]2/)
})

test('where two columns have no room, as beside a wide panel, they are tabs', async () => {
  const measured: (() => void)[] = []
  vi.stubGlobal(
    'ResizeObserver',
    class {
      constructor(measure: () => void) {
        measured.push(measure)
      }
      observe(): void {}
      disconnect(): void {}
    },
  )
  const { view } = await show()
  expect(view.querySelectorAll('[role=region]')).toHaveLength(2)
  const width = vi.spyOn(view.querySelector('.columns') as HTMLElement, 'clientWidth', 'get').mockReturnValue(420)
  await change(() => measured.forEach((measure) => measure()))
  expect(view.querySelectorAll('[role=tab]')).toHaveLength(2)
  expect(view.querySelector('[role=tabpanel]')?.textContent).toContain('Text of a1')
  width.mockReturnValue(760)
  await change(() => measured.forEach((measure) => measure()))
  expect(view.querySelectorAll('[role=region]')).toHaveLength(2)
})
