import { X } from 'lucide-react'
import { useRef } from 'react'
import { keyNames } from '../platform/keyboard.ts'
import '../texts/show-late.ts'
import { t } from '../texts/t.ts'
import { IconButton } from '../ui/button.tsx'
import { Dialog } from '../ui/dialog.tsx'
import { useWorkspace } from '../workspace/workspace.ts'
import './shortcut-list.css'
import './shortcuts-dialog.css'
import { type Shortcut, shortcuts } from './shortcuts.ts'

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

const places: readonly Shortcut['where'][] = ['everywhere', 'message', 'lists']

export function ShortcutList() {
  return places.map((where) => (
    <section key={where} className="shortcuts" aria-label={t.shortcuts.where[where]}>
      <h3>{t.shortcuts.where[where]}</h3>
      <dl>
        {shortcuts
          .filter((shortcut) => shortcut.where === where)
          .map(({ id, keys, title }) => (
            <div key={id} data-setting={`shortcut-${id}`}>
              <dt>{title()}</dt>
              <dd>
                {keyNames(keys).map((name) => (
                  <kbd key={name}>{name}</kbd>
                ))}
              </dd>
            </div>
          ))}
      </dl>
    </section>
  ))
}
