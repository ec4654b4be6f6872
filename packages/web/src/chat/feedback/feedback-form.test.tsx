import type { Feedback } from '@troupe/protocol'
import { expect, test } from 'vitest'
import { message } from '../../testing/fake-server.ts'
import { button, change, click, eventually, field, render, type } from '../../testing/render.tsx'
import { t } from '../../texts/t.ts'
import { useSession } from '../session/session-context.ts'
import { FeedbackButtons } from './feedback-buttons.tsx'

const path = '/ai/sessions/s1/messages/a1/feedback'

function Rated() {
  const feedback = useSession((state) => state.messages[0]?.metadata?.feedback)
  return <FeedbackButtons messageId="a1" feedback={feedback} />
}

async function show(feedback?: Feedback) {
  const answer = message('a1', 'assistant', 'Hello', 'u1')
  const shown = await render(<Rated />, {
    chat: { messages: [feedback === undefined ? answer : { ...answer, metadata: { feedback } }] },
  })
  const pressed = () =>
    [...shown.view.querySelectorAll('[aria-pressed=true]')].map((one) => one.getAttribute('aria-label'))
  return { ...shown, pressed }
}

test('one click rates; the reason is optional and can be added', async () => {
  const { server, pressed } = await show()
  await click(button(t.feedback.down))
  expect(server.requests.at(-1)).toMatchObject({ method: 'PUT', path, body: { rating: 'down' } })
  expect(pressed()).toEqual([t.feedback.down])
  await change(() => server.replyJson(path, { feedback: { rating: 'down', reasons: [], at: 1 } }))
  await eventually(() => document.querySelector('.feedback-form') !== null)
  await click(button(t.feedbackForm.reason['too-long']))
  await click(button(t.feedbackForm.reason.incorrect))
  await click(button(t.feedbackForm.reason['too-long']))
  await type(field(t.feedbackForm.text), 'مرحبا')
  await click(button(t.feedbackForm.save))
  await eventually(() => server.requests.length === 2)
  expect(server.requests.at(-1)?.body).toEqual({ rating: 'down', reasons: ['incorrect'], text: 'مرحبا' })
  expect(document.querySelector('.feedback-form')).toBeNull()
})

test('a rating can be changed and removed', async () => {
  const { server, pressed } = await show({ rating: 'up', reasons: ['clear'], at: 1 })
  expect(pressed()).toEqual([t.feedback.up])
  await click(button(t.feedback.up))
  await eventually(() => document.querySelector('.feedback-form') !== null)
  expect(server.requests).toEqual([])
  await click(button(t.feedbackForm.remove))
  expect(server.requests.at(-1)).toMatchObject({ method: 'DELETE', path })
  await change(() => server.replyJson(path, { deleted: true }))
  expect(pressed()).toEqual([])
})

test('a refused rating is taken back', async () => {
  const { server, pressed } = await show({ rating: 'up', reasons: [], at: 1 })
  await click(button(t.feedback.down))
  expect(pressed()).toContain(t.feedback.down)
  await change(() => server.replyJson(path, { error: { name: 'SessionBusy', message: 'Busy.' } }, 409))
  await eventually(() => pressed().includes(t.feedback.up))
  expect(server.errors).toHaveLength(1)
})
