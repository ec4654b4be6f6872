import { useRef } from 'react'
import { t } from '../texts/t.ts'
import { Button } from '../ui/button.tsx'
import { Dialog } from '../ui/dialog.tsx'
import { useWorkspace } from '../workspace.ts'
import { ShortcutList } from './shortcut-list.tsx'

/** The sheet that `?` shows. */
export function ShortcutsDialog() {
  const { app } = useWorkspace()
  const dialog = useRef<HTMLDialogElement>(null)
  return (
    <Dialog ref={dialog} title={t.shortcuts.title} onClose={() => app.setDialog(null)}>
      <ShortcutList />
      <div className="dialog-buttons">
        <Button kind="primary" onClick={() => dialog.current?.close()}>
          {t.ui.close}
        </Button>
      </div>
    </Dialog>
  )
}
