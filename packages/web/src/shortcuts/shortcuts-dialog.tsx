import { X } from 'lucide-react'
import { useRef } from 'react'
import { t } from '../texts/t.ts'
import { Dialog } from '../ui/dialog.tsx'
import { IconButton } from '../ui/icon-button.tsx'
import { useWorkspace } from '../workspace.ts'
import { ShortcutList } from './shortcut-list.tsx'
import './shortcuts-dialog.css'

/** The sheet that `?` shows. */
export function ShortcutsDialog() {
  const { app } = useWorkspace()
  const dialog = useRef<HTMLDialogElement>(null)
  return (
    <Dialog ref={dialog} title={t.shortcuts.title} className="shortcut-sheet" onClose={() => app.setDialog(null)}>
      <section className="shortcut-columns" aria-label={t.shortcuts.title} tabIndex={0}>
        <ShortcutList />
      </section>
      <IconButton className="shortcut-close" label={t.ui.close} onClick={() => dialog.current?.close()}>
        <X />
      </IconButton>
    </Dialog>
  )
}
