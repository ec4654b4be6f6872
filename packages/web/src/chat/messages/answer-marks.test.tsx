import { expect, test } from 'vitest'
import { useTeam } from '../../state/team.tsx'
import { change, render } from '../../testing/render.tsx'
import type { VisibleMessage } from '../session/session-state.ts'
import { AnswerMarks } from './answer-marks.tsx'

test('an answer that a denial ended says which tool was denied', async () => {
  const stopped = { reason: 'denied', message: 'ImageGenerate was denied.' }
  const message = { id: 'a1', role: 'assistant', parts: [], parentMessageId: 'u1', createdAt: 1, metadata: { stopped } }
  const { view } = await render(<AnswerMarks message={message as VisibleMessage} last />)
  expect(view.querySelector('.mark')?.textContent).toContain('ImageGenerate was denied.')
  expect(view.querySelectorAll('.mark button')).toHaveLength(1)
  // A person of a team who only reads cannot go on.
  await change(() => useTeam.setState({ readOnly: { '*': 'You can read.' } }))
  expect(view.querySelectorAll('.mark button')).toHaveLength(0)
  await change(() => useTeam.setState({ readOnly: {} }))
})
