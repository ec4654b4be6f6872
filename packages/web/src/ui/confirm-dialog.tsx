import { useRef } from 'react'
import type { ReactNode } from 'react'
import { t } from '../texts/t.ts'
import { Button } from './button.tsx'
import { Dialog } from './dialog.tsx'

export interface ConfirmDialogProps {
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
