import { useEffect, useId, useRef, useState } from 'react'
import type { TrashedEntry } from '@troupe/protocol'
import type { Api } from '../api/api.ts'
import { noticeError } from '../state/notices.tsx'
import '../texts/show-late.ts'
import { t } from '../texts/t.ts'
import { Button } from '../ui/button.tsx'
import { ConfirmDialog, Dialog } from '../ui/dialog.tsx'
import { Moment, VisibleText } from '../ui/elements.tsx'
import type { FileActions, FilesDialog } from './file-actions.ts'
import './files-dialogs.css'
import { folderOf, nameOf } from './tree-rows.ts'
import type { FileTree } from './tree-store.ts'

interface FilesDialogsProps {
  dialog: FilesDialog
  api: Api
  tree: FileTree
  actions: FileActions
  onClose: () => void
}

export function FilesDialogs({ dialog, api, tree, actions, onClose }: FilesDialogsProps) {
  if (dialog.kind === 'move') return <MoveDialog paths={dialog.paths} api={api} actions={actions} onClose={onClose} />
  if (dialog.kind === 'trash') return <TrashDialog api={api} tree={tree} onClose={onClose} />
  const deleteForever = async () => {
    try {
      for (const path of dialog.paths) {
        await api.deleteFile(path, { forever: true })
        await tree.reload(folderOf(path))
      }
    } catch (error) {
      noticeError(error)
    }
  }
  return (
    <ConfirmDialog
      title={t.files.deleteForeverTitle}
      confirm={t.files.deleteForever}
      onConfirm={() => void deleteForever()}
      onClose={onClose}
    >
      <p>
        <VisibleText text={t.files.deleteForeverText(dialog.paths.map(nameOf).join(', '))} />
      </p>
    </ConfirmDialog>
  )
}

/** Asks for a folder by letters of its name. */
function MoveDialog({
  paths,
  api,
  actions,
  onClose,
}: Omit<FilesDialogsProps, 'dialog' | 'tree'> & { paths: readonly string[] }) {
  const [path = ''] = paths
  const dialog = useRef<HTMLDialogElement>(null)
  const [folder, setFolder] = useState(folderOf(path))
  const [folders, setFolders] = useState<string[]>([])
  const listId = useId()
  useEffect(() => {
    const asking = new AbortController()
    api.searchFiles(folder.trim(), asking.signal).then(
      ({ matches }) =>
        setFolders(matches.flatMap(({ kind, path: one }) => (kind === 'folder' ? [one] : [])).slice(0, 50)),
      () => undefined,
    )
    return () => asking.abort()
  }, [api, folder])
  return (
    <Dialog ref={dialog} title={t.files.moveTitle} onClose={onClose}>
      <form method="dialog" onSubmit={() => void actions.move(paths, folder.trim().replaceAll(/^\/+|\/+$/g, ''))}>
        <label className="files-move">
          <VisibleText text={paths.length === 1 ? t.files.moveLabel(nameOf(path)) : t.files.moveSome(paths.length)} />
          <input
            list={listId}
            value={folder}
            placeholder={t.files.topFolder}
            autoComplete="off"
            spellCheck={false}
            dir="auto"
            onChange={(event) => setFolder(event.target.value)}
          />
          <datalist id={listId}>
            {folders.map((one) => (
              <option key={one} value={one}>
                {one}
              </option>
            ))}
          </datalist>
        </label>
        <div className="dialog-buttons">
          <Button onClick={() => dialog.current?.close()}>{t.ui.cancel}</Button>
          <Button type="submit" kind="primary">
            {t.files.move}
          </Button>
        </div>
      </form>
    </Dialog>
  )
}

function TrashDialog({ api, tree, onClose }: Pick<FilesDialogsProps, 'api' | 'tree' | 'onClose'>) {
  const dialog = useRef<HTMLDialogElement>(null)
  const [trashed, setTrashed] = useState<TrashedEntry[]>()
  useEffect(() => {
    api.fileTrash().then((answer) => setTrashed(answer.trashed), noticeError)
  }, [api])
  const restore = async ({ id, path }: TrashedEntry) => {
    try {
      await api.restoreFile(id)
      setTrashed((known) => known?.filter((one) => one.id !== id))
      await tree.reload(folderOf(path))
    } catch (error) {
      noticeError(error)
    }
  }
  const empty = async () => {
    try {
      await api.emptyFileTrash()
      setTrashed([])
    } catch (error) {
      noticeError(error)
    }
  }
  return (
    <Dialog ref={dialog} title={t.files.trash} onClose={onClose}>
      <p className="dialog-text">{t.files.trashAbout}</p>
      {trashed?.length === 0 && <p className="files-trash-none">{t.files.trashEmpty}</p>}
      <ul className="files-trash">
        {trashed?.map((entry) => (
          <li key={entry.id}>
            <span className="files-trash-path">
              <VisibleText text={entry.path} as="name" />
            </span>
            <small>
              <Moment time={entry.deletedAt} />
            </small>
            <Button aria-label={t.files.restoreNamed(entry.path)} onClick={() => void restore(entry)}>
              {t.files.restore}
            </Button>
          </li>
        ))}
      </ul>
      <div className="dialog-buttons">
        {trashed !== undefined && trashed.length > 0 && (
          <Button kind="danger" onClick={() => void empty()}>
            {t.files.emptyTrash}
          </Button>
        )}
        <Button onClick={() => dialog.current?.close()}>{t.ui.close}</Button>
      </div>
    </Dialog>
  )
}
