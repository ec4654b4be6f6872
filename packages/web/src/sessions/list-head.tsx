import { Archive, ArrowLeft, CheckSquare, Ellipsis, FolderPlus, Import, Trash2 } from 'lucide-react'
import { useRef, useState } from 'react'
import { flushSync } from 'react-dom'
import { t } from '../texts/t.ts'
import { IconButton } from '../ui/button.tsx'
import { ConfirmDialog } from '../ui/dialog.tsx'
import { expectFocus } from '../ui/focus.ts'
import { Menu } from '../ui/menu.tsx'
import { useApp, useWorkspace } from '../workspace/workspace.ts'
import { NameField } from './session-title.tsx'

export function ListHead() {
  const { app } = useWorkspace()
  const view = useApp((state) => state.view)
  const picked = useApp((state) => state.picked)
  const count = useApp((state) => state.otherView?.sessions.length ?? 0)
  const [mode, setMode] = useState<'shown' | 'naming' | 'emptying'>('shown')
  const add = useRef<HTMLButtonElement>(null)
  const show = (next: typeof view) => {
    expectFocus(() =>
      document.querySelector(next === 'active' ? '.list-head [aria-haspopup=menu]' : '.list-head button'),
    )
    void app.setView(next)
  }
  const selecting = (
    <IconButton
      label={t.sessions.selectMany}
      aria-pressed={picked !== null}
      onClick={() => app.setPicked(picked === null ? [] : null)}
    >
      <CheckSquare />
    </IconButton>
  )
  if (view !== 'active') {
    return (
      <div className="list-head">
        <IconButton label={t.sessions.back} onClick={() => show('active')}>
          <ArrowLeft />
        </IconButton>
        <h2>{view === 'archived' ? t.sessions.archiveView : t.sessions.trashView}</h2>
        {selecting}
        {view === 'trashed' && count > 0 && (
          <IconButton label={t.sessions.emptyTrash} onClick={() => setMode('emptying')}>
            <Trash2 />
          </IconButton>
        )}
        {mode === 'emptying' && (
          <ConfirmDialog
            title={t.sessions.emptyTrash}
            confirm={t.sessions.deletePermanently}
            onConfirm={() => void app.emptyTrash()}
            onClose={() => setMode('shown')}
          >
            <p>{t.sessions.emptyTrashText}</p>
          </ConfirmDialog>
        )}
      </div>
    )
  }
  return (
    <>
      <div className="list-head">
        <h2>{t.sessions.nav}</h2>
        <IconButton ref={add} label={t.sessions.newFolder} onClick={() => setMode('naming')}>
          <FolderPlus />
        </IconButton>
        {selecting}
        <Menu
          trigger={
            <button type="button" className="icon-button" aria-label={t.sessions.listMenu}>
              <Ellipsis />
            </button>
          }
          items={[
            {
              label: t.sessions.archiveView,
              icon: <Archive aria-hidden />,
              onSelect: () => show('archived'),
            },
            { label: t.sessions.trashView, icon: <Trash2 aria-hidden />, onSelect: () => show('trashed') },
            { label: t.sessions.importMenu, icon: <Import aria-hidden />, onSelect: () => app.setDialog('import') },
          ]}
        />
      </div>
      {mode === 'naming' && (
        <div className="list-naming">
          <NameField
            label={t.sessions.folderName}
            value=""
            maxLength={100}
            onDone={(name, byKey) => {
              flushSync(() => setMode('shown'))
              if (byKey) add.current?.focus()
              if (name !== null) void app.addFolder(name)
            }}
          />
        </div>
      )}
    </>
  )
}
