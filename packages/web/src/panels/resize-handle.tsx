import type { KeyboardEvent, PointerEvent } from 'react'
import { t } from '../texts/t.ts'

export interface ResizeHandleProps {
  width: number
  narrowest: number
  widest: number
  setWidth: (width: number | null, done: boolean) => void
}

const step = 24

/** The line between the chat and the panels: drawn with the mouse, moved by arrows, set back by a double click. */
export function ResizeHandle({ width, narrowest, widest, setWidth }: ResizeHandleProps) {
  const onPointerDown = (event: PointerEvent<HTMLHRElement>) => {
    if (event.button !== 0) return
    const { currentTarget: handle, pointerId, clientX: from } = event
    handle.setPointerCapture(pointerId)
    // Frames would swallow the movement, and text would be selected.
    document.body.dataset['resizing'] = ''
    let last = width
    const onMove = ({ clientX }: globalThis.PointerEvent) => {
      last = width + from - clientX
      setWidth(last, false)
    }
    const onEnd = () => {
      handle.removeEventListener('pointermove', onMove)
      delete document.body.dataset['resizing']
      if (last !== width) setWidth(last, true)
    }
    handle.addEventListener('pointermove', onMove)
    handle.addEventListener('lostpointercapture', onEnd, { once: true })
  }
  const onKeyDown = (event: KeyboardEvent) => {
    const far = event.shiftKey ? 4 * step : step
    const widths: Record<string, number | null> = {
      ArrowLeft: width + far,
      ArrowRight: width - far,
      Home: narrowest,
      End: widest,
      Enter: null,
    }
    const next = widths[event.key]
    if (next === undefined) return
    event.preventDefault()
    setWidth(next, true)
  }
  return (
    // A separator that can have the focus is a widget.
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-element-interactions
    <hr
      className="beside-resize"
      aria-orientation="vertical"
      aria-label={t.panels.resize}
      aria-valuenow={width}
      aria-valuemin={narrowest}
      aria-valuemax={widest}
      tabIndex={0}
      onPointerDown={onPointerDown}
      onDoubleClick={() => setWidth(null, true)}
      onKeyDown={onKeyDown}
    />
  )
}
