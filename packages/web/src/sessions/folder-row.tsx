import { ChevronRight, Ellipsis, Folder as FolderIcon, FolderOpen, FolderPlus, Pencil, Trash2 } from 'lucide-react'
import { useRef, useState } from 'react'
import { flushSync } from 'react-dom'
import type { Folder } from '@troupe/core'
import { t } from '../texts/t.ts'
import { ConfirmDialog } from '../ui/confirm-dialog.tsx'
import { Menu } from '../ui/menu.tsx'
import { useWorkspace } from '../workspace.ts'
import { allowDrop, droppedSessions } from './dragged.ts'
import { NameField } from './name-field.tsx'

/** A folder of the list; sessions can be let go on it. */
export function FolderRow({ folder, open }: { folder: Folder; open: boolean }) {
  const { app } = useWorkspace()
  const [mode, setMode] = useState<'shown' | 'renaming' | 'deleting' | 'adding'>('shown')
  const [over, setOver] = useState(false)
  const opener = useRef<HTMLButtonElement>(null)
  const isInner = folder.parentFolderId !== null
  const done = (byKey: boolean) => {
    flushSync(() => setMode('shown'))
    if (byKey) opener.current?.focus()
  }
  if (mode === 'renaming') {
    return (
      <NameField
        label={t.sessions.folderName}
        value={folder.name}
        maxLength={100}
        onDone={(name, byKey) => {
          done(byKey)
          if (name !== null) void app.renameFolder(folder.id, name)
        }}
      />
    )
  }
  return (
    <div
      className="session folder"
      data-over={over}
      data-depth={isInner ? 1 : 0}
      onDragOver={(event) => setOver(allowDrop(event))}
      onDragLeave={() => setOver(false)}
      onDrop={(event) => {
        setOver(false)
        void app.changeSessions(droppedSessions(event), { folderId: folder.id })
      }}
    >
      <button
        ref={opener}
        type="button"
        className="session-open"
        aria-expanded={open}
        title={folder.name}
        onClick={() => void app.toggleFolder(folder.id)}
        onKeyDown={(event) => {
          if (event.key === 'F2') setMode('renaming')
          if (event.key === 'Delete') setMode('deleting')
          if ((event.key === 'ArrowRight' && !open) || (event.key === 'ArrowLeft' && open))
            void app.toggleFolder(folder.id)
        }}
      >
        <ChevronRight aria-hidden className="folder-arrow" />
        {open ? <FolderOpen aria-hidden /> : <FolderIcon aria-hidden />}
        <span className="session-title">
          {folder.name}
          <span className="visually-hidden">{t.sessions.folderHolds(folder.sessionCount)}</span>
        </span>
        <span className="session-time" aria-hidden>
          {folder.sessionCount}
        </span>
      </button>
      <Menu
        trigger={
          <button type="button" className="icon-button session-menu" aria-label={t.sessions.folderMore(folder.name)}>
            <Ellipsis />
          </button>
        }
        items={[
          { label: t.sessions.rename, icon: <Pencil aria-hidden />, onSelect: () => setMode('renaming') },
          ...(isInner
            ? []
            : [
                {
                  label: t.sessions.newFolderHere,
                  icon: <FolderPlus aria-hidden />,
                  onSelect: () => setMode('adding'),
                },
              ]),
          {
            label: t.sessions.folderDelete,
            icon: <Trash2 aria-hidden />,
            danger: true,
            onSelect: () => setMode('deleting'),
          },
        ]}
      />
      {mode === 'adding' && (
        <NameField
          label={t.sessions.folderName}
          value=""
          maxLength={100}
          onDone={(name, byKey) => {
            done(byKey)
            if (name !== null) void app.addFolder(name, { parentFolderId: folder.id })
          }}
        />
      )}
      {mode === 'deleting' && (
        <ConfirmDialog
          title={t.sessions.folderDeleteTitle}
          confirm={t.sessions.folderDelete}
          onConfirm={() => void app.deleteFolder(folder.id)}
          onClose={() => setMode('shown')}
        >
          <p>{t.sessions.folderDeleteText(folder.name)}</p>
        </ConfirmDialog>
      )}
    </div>
  )
}
