import { useEffect, useId, useRef } from 'react'
import type { ReactNode } from 'react'
import { Button } from './button.tsx'
import './confirm-dialog.css'

export interface ConfirmDialogProps {
  title: string
  children: ReactNode
  confirm: string
  onConfirm: () => void
  onClose: () => void
}

/** The browser's own dialog: it holds the focus, closes on Escape or a click beside it, and gives the focus back. */
export function ConfirmDialog({ title, children, confirm, onConfirm, onClose }: ConfirmDialogProps) {
  const ref = useRef<HTMLDialogElement>(null)
  const titleId = useId()
  useEffect(() => ref.current?.showModal(), [])
  return (
    <dialog ref={ref} className="dialog" aria-labelledby={titleId} onClose={onClose} {...{ closedby: 'any' }}>
      <form method="dialog" onSubmit={onConfirm}>
        <h2 id={titleId}>{title}</h2>
        <div className="dialog-text">{children}</div>
        <div className="dialog-buttons">
          <Button onClick={() => ref.current?.close()}>Cancel</Button>
          <Button type="submit" kind="danger">
            {confirm}
          </Button>
        </div>
      </form>
    </dialog>
  )
}
