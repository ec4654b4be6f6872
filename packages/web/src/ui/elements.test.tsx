import { expect, test } from 'vitest'
import { render } from '../testing/render.tsx'
import { hasRightToLeft, VisibleText } from './elements.tsx'

test('a name of another direction is isolated in a sentence, and only such a name', async () => {
  const { view } = await render(
    <p>
      <VisibleText text="מסמך.txt" as="name" /> and <VisibleText text="notes.txt" as="name" />
    </p>,
  )
  expect(view.innerHTML).toBe('<p><bdi>מסמך.txt</bdi> and notes.txt</p>')
})

test.each([
  ['مرحبا', true],
  ['שלום', true],
  ['Hello 你好 🎉 1.5', false],
])('%s is written from right to left: %s', (text, isTurned) => {
  expect(hasRightToLeft(text)).toBe(isTurned)
})
