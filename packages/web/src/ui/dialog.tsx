import { type ReactNode, type Ref, type RefObject, useCallback, useEffect, useId, useRef, useState } from 'react'
import { t } from '../texts/t.ts'
import { Button, DialogContext, requestClose } from './button.tsx'
import './dialog.css'

interface DialogProps {
  title: ReactNode
  className?: string
  /** For closing from outside. `close()` also restores the focus. */
  ref?: Ref<HTMLDialogElement>
  /** A new value opens it again, also between its closing and the later `close` event. */
  turn?: number
  onClose: () => void
  children: ReactNode
}

/** Native dialog: traps the focus, closes on Escape or an outside click, and restores the focus. */
export function Dialog({ title, className = '', ref, turn, onClose, children }: DialogProps) {
  const own = useRef<HTMLDialogElement>(null)
  const [shown, setShown] = useState<HTMLDialogElement | null>(null)
  const titleId = useId()
  const refer = useCallback(
    (element: HTMLDialogElement | null) => {
      own.current = element
      setShown(element)
      if (typeof ref === 'function') ref(element)
      else if (ref != null) ref.current = element
    },
    [ref],
  )
  useEffect(() => {
    if (own.current?.open === false) own.current.showModal()
  }, [turn])
  useOutsideClick(own)
  return (
    <dialog
      ref={refer}
      className={`dialog ${className}`}
      aria-labelledby={titleId}
      tabIndex={-1}
      data-focus-home=""
      data-focus-back
      // React bubbles this event, so ignore it from a nested dialog.
      onClose={({ target, currentTarget }) => {
        if (target === currentTarget && !currentTarget.open) onClose()
      }}
      {...{ closedby: 'any' }}
    >
      <h2 id={titleId}>{title}</h2>
      <DialogContext value={shown}>{children}</DialogContext>
    </dialog>
  )
}

/** Closes the dialog on an outside click in browsers that ignore `closedby`. */
export function useOutsideClick(dialog: RefObject<HTMLDialogElement | null>): void {
  useEffect(() => {
    const { current } = dialog
    if (current === null || 'closedBy' in HTMLDialogElement.prototype) return undefined
    const isOutside = ({ target, clientX, clientY }: MouseEvent) => {
      const { left, right, top, bottom } = current.getBoundingClientRect()
      return target === current && (clientX < left || clientX > right || clientY < top || clientY > bottom)
    }
    // A drag that starts inside, such as a selection of text, is no outside click.
    let startedOutside = false
    const onPress = (event: MouseEvent) => {
      startedOutside = isOutside(event)
    }
    const onClick = (event: MouseEvent) => {
      if (startedOutside && isOutside(event)) requestClose(current)
    }
    current.addEventListener('pointerdown', onPress)
    current.addEventListener('click', onClick)
    return () => {
      current.removeEventListener('pointerdown', onPress)
      current.removeEventListener('click', onClick)
    }
  }, [dialog])
}

interface ConfirmDialogProps {
  title: string
  children: ReactNode
  confirm: string
  onConfirm: () => void
  onClose: () => void
}

export function ConfirmDialog({ title, children, confirm, onConfirm, onClose }: ConfirmDialogProps) {
  const ref = useRef<HTMLDialogElement>(null)
  return (
    <Dialog ref={ref} title={title} onClose={onClose}>
      <form method="dialog" onSubmit={onConfirm}>
        <div className="dialog-text">{children}</div>
        <div className="dialog-buttons">
          <Button onClick={() => ref.current?.close()}>{t.ui.cancel}</Button>
          <Button type="submit" kind="danger">
            {confirm}
          </Button>
        </div>
      </form>
    </Dialog>
  )
}
