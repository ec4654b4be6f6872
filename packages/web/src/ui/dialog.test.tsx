import { expect, test, vi } from 'vitest'
import { change, render } from '../testing/render.tsx'
import { Dialog } from './dialog.tsx'

test('without closedby, a click outside closes the dialog, but a drag from inside does not', async () => {
  const onClose = vi.fn<() => void>()
  const { view } = await render(
    <Dialog title="Title" onClose={onClose}>
      text
    </Dialog>,
  )
  const dialog = view.querySelector('dialog')
  const title = view.querySelector('h2')
  const outside = { clientX: 5, clientY: 5, bubbles: true }
  const dragFrom = (start: Element | null) =>
    change(() => {
      start?.dispatchEvent(new PointerEvent('pointerdown', outside))
      dialog?.dispatchEvent(new MouseEvent('click', outside))
    })
  await dragFrom(title)
  expect(onClose).not.toHaveBeenCalled()
  const keepOpen = (event: Event) => event.preventDefault()
  dialog?.addEventListener('cancel', keepOpen)
  await dragFrom(dialog)
  expect(onClose).not.toHaveBeenCalled()
  dialog?.removeEventListener('cancel', keepOpen)
  await dragFrom(dialog)
  expect(onClose).toHaveBeenCalledOnce()
})
