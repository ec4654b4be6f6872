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

test('a dialog that is opened again before its close event stays open', async () => {
  const onClose = vi.fn<() => void>()
  const { view, draw, app } = await render(null)
  const show = () =>
    draw(
      <Dialog title="Title" turn={app.getState().dialogTurn} onClose={onClose}>
        text
      </Dialog>,
    )
  app.openSettings('models')
  await show()
  const dialog = view.querySelector('dialog')!
  // Browsers close at once and report it in a later task.
  dialog.removeAttribute('open')
  app.openSettings('models')
  await show()
  expect(dialog.open).toBe(true)
  await change(() => dialog.dispatchEvent(new Event('close')))
  expect(onClose).not.toHaveBeenCalled()
  await change(() => dialog.close())
  expect(onClose).toHaveBeenCalledOnce()
})
