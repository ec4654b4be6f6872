import { Archive, ArchiveRestore, FolderInput, RotateCcw, Trash2, X } from 'lucide-react'
import { useState } from 'react'
import type { ListedSession } from '../api/api.ts'
import { t } from '../texts/t.ts'
import { IconButton } from '../ui/button.tsx'
import { ConfirmDialog } from '../ui/dialog.tsx'
import { Menu } from '../ui/menu.tsx'
import type { AppState } from '../workspace/app-state.ts'
import { useApp, useWorkspace } from '../workspace/workspace.ts'
import { archive, folderItems, trash } from './session-menu.tsx'
import { NameField } from './session-title.tsx'

export function BulkBar() {
  const { app } = useWorkspace()
  const picked = useApp((state) => state.picked)
  const view = useApp((state) => state.view)
  const folders = useApp((state) => state.folders)
  const [mode, setMode] = useState<'shown' | 'deleting' | 'filing'>('shown')
  if (picked === null) return null
  const none = picked.length === 0
  const named = () => picked.map((id) => findListedSession(app.getState(), id) ?? { id, title: '' })
  return (
    <div className="bulk-bar" role="toolbar" aria-label={t.sessions.selectMany}>
      <span aria-live="polite">{t.sessions.selectedCount(picked.length)}</span>
      {view === 'trashed' ? (
        <>
          <IconButton
            label={t.sessions.restore}
            disabled={none}
            onClick={() => void app.changeSessions(picked, { trashed: false })}
          >
            <RotateCcw />
          </IconButton>
          <IconButton label={t.sessions.deletePermanently} disabled={none} onClick={() => setMode('deleting')}>
            <Trash2 />
          </IconButton>
        </>
      ) : (
        <>
          <Menu
            trigger={
              <button type="button" className="icon-button" aria-label={t.sessions.move} disabled={none}>
                <FolderInput />
              </button>
            }
            items={folderItems(
              folders,
              undefined,
              () => setMode('filing'),
              (folderId) => app.changeSessions(picked, { folderId }),
            )}
          />
          {view === 'archived' ? (
            <IconButton
              label={t.sessions.unarchive}
              disabled={none}
              onClick={() => void app.changeSessions(picked, { archived: false })}
            >
              <ArchiveRestore />
            </IconButton>
          ) : (
            <IconButton label={t.sessions.archive} disabled={none} onClick={() => void archive(app, named())}>
              <Archive />
            </IconButton>
          )}
          <IconButton label={t.sessions.delete} disabled={none} onClick={() => void trash(app, named())}>
            <Trash2 />
          </IconButton>
        </>
      )}
      <IconButton label={t.sessions.endSelecting} onClick={() => app.setPicked(null)}>
        <X />
      </IconButton>
      {mode === 'filing' && (
        <NameField
          label={t.sessions.folderName}
          value=""
          maxLength={100}
          onDone={(name) => {
            setMode('shown')
            if (name !== null) void app.addFolder(name, { sessionIds: picked })
          }}
        />
      )}
      {mode === 'deleting' && (
        <ConfirmDialog
          title={t.sessions.deleteTitle}
          confirm={t.sessions.deletePermanently}
          onConfirm={() => void app.deleteForGood(picked)}
          onClose={() => setMode('shown')}
        >
          <p>{t.sessions.deleteText(picked.length, '')}</p>
        </ConfirmDialog>
      )}
    </div>
  )
}

function findListedSession(
  { sessions, otherView: aside, folderPages }: Pick<AppState, 'sessions' | 'otherView' | 'folderPages'>,
  sessionId: string,
): ListedSession | undefined {
  const shelves = [sessions, aside?.sessions ?? [], ...Object.values(folderPages).map((page) => page.sessions)]
  return shelves.flat().find(({ id }) => id === sessionId)
}
