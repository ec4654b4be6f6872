import { type ReactNode, useState } from 'react'
import { t } from '../texts/t.ts'
import { Button } from '../ui/button.tsx'
import { ConfirmDialog } from '../ui/dialog.tsx'

interface RowActionsProps {
  /** Tells the rows apart for screen readers. */
  name: string
  enabled: boolean
  onEdit: () => void
  onToggle: () => Promise<void>
  onDelete: () => Promise<void>
  deleteTitle: string
  /** Text of the confirmation, which names the object. */
  children: ReactNode
}

/** Edits, turns off and deletes a row of the settings. */
export function RowActions({ name, enabled, onEdit, onToggle, onDelete, deleteTitle, children }: RowActionsProps) {
  const [removing, setRemoving] = useState(false)
  const toggle = enabled ? t.hookEditor.turnOff : t.hookEditor.turnOn
  return (
    <>
      <div className="settings-row-buttons">
        <Button kind="quiet" aria-label={`${t.explain.edit} ${name}`} onClick={onEdit}>
          {t.explain.edit}
        </Button>
        <Button kind="quiet" aria-label={`${toggle} ${name}`} onClick={() => void onToggle()}>
          {toggle}
        </Button>
        <Button kind="quiet" aria-label={`${t.ui.delete} ${name}`} onClick={() => setRemoving(true)}>
          {t.ui.delete}
        </Button>
      </div>
      {removing && (
        <ConfirmDialog
          title={deleteTitle}
          confirm={t.ui.delete}
          onConfirm={() => void onDelete()}
          onClose={() => setRemoving(false)}
        >
          {children}
        </ConfirmDialog>
      )}
    </>
  )
}
