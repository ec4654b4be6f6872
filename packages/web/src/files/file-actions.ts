import type { Api } from '../api/api.ts'
import { pageAccess } from '../api/page-access.ts'
import { ApiError, toErrorInfo } from '../api/request.ts'
import type { ChatSessionStore } from '../chat/session/session-types.ts'
import { addToDraft } from '../composer/add-to-draft.ts'
import { notice, noticeError } from '../state/notices.tsx'
import { t } from '../texts/t.ts'
import { collectDropped, type DroppedFile } from './dropped-files.ts'
import { folderOf, isOpenable, joinPath, nameOf, rowPath, type TreeRow } from './tree-rows.ts'
import type { FileTree } from './tree-store.ts'

/** What a person can do with a row or a folder. Every failure is shown. */
export interface FileActions {
  open(row: TreeRow): void
  mention(path: string): void
  download(path: string): void
  create(folder: string, name: string, kind: 'file' | 'folder'): Promise<void>
  rename(path: string, name: string): Promise<void>
  move(path: string, folder: string): Promise<void>
  remove(row: TreeRow): Promise<void>
  upload(folder: string, dropped: DataTransfer | FileList): Promise<void>
  /** Opens the browser's dialog for files. */
  pickUpload(folder: string): void
  pickFolder(path: string): void
  showTrash(): void
}

interface FileActionsOptions {
  api: Api
  tree: FileTree
  session: ChatSessionStore
  onDialog: (dialog: FilesDialog) => void
}

export type FilesDialog = { kind: 'move'; path: string } | { kind: 'forever'; path: string } | { kind: 'trash' }

export function createFileActions({ api, tree, session, onDialog }: FileActionsOptions): FileActions {
  const actions: FileActions = {
    open(row) {
      if (!isOpenable(row))
        return notice(row.kind === 'link' ? t.files.linkTo[row.target ?? 'missing'] : t.files.special)
      openFilePanel(session, rowPath(row))
    },
    mention: (path) => addToDraft(session, `${mentionOf(path)} `),
    download(path) {
      const link = document.createElement('a')
      link.href = pageAccess.link(api.downloadPath(path))
      link.download = nameOf(path)
      link.click()
    },
    create: (folder, name, kind) =>
      attempt(async () => {
        const { path } = await api.createFile(joinPath(folder, name), kind)
        tree.setNaming(null)
        await tree.reload(folder)
        await tree.reveal(path)
        if (kind === 'file') openFilePanel(session, path)
      }),
    rename: (path, name) => moveTo(path, joinPath(folderOf(path), name)),
    move: (path, folder) => moveTo(path, joinPath(folder, nameOf(path))),
    remove: (row) => remove(row),
    async upload(folder, dropped) {
      const files = await collectDropped(dropped)
      if (files.length > 0) await attempt(() => uploadAll(folder, files))
    },
    pickUpload(folder) {
      const field = document.createElement('input')
      field.type = 'file'
      field.multiple = true
      field.addEventListener('change', () => {
        if (field.files !== null) void actions.upload(folder, field.files)
      })
      field.click()
    },
    pickFolder: (path) => onDialog({ kind: 'move', path }),
    showTrash: () => onDialog({ kind: 'trash' }),
  }
  return actions

  async function attempt(work: () => Promise<void>): Promise<void> {
    try {
      await work()
    } catch (error) {
      noticeError(error)
    } finally {
      tree.setNaming(null)
    }
  }

  function moveTo(from: string, to: string): Promise<void> {
    return attempt(async () => {
      const { path } = await api.moveFile(from, to)
      followMove(session, from, path)
      await Promise.all([tree.reload(folderOf(from)), tree.reload(folderOf(path))])
      await tree.reveal(path)
    })
  }

  async function remove(row: TreeRow): Promise<void> {
    const path = rowPath(row)
    const { rows, active } = tree.getState()
    try {
      const { trashed } = await api.deleteFile(path)
      if (active === path) {
        const at = rows.findIndex((one) => rowPath(one) === path)
        const next = rows.slice(at + 1).find((one) => !`${rowPath(one)}/`.startsWith(`${path}/`)) ?? rows[at - 1]
        tree.setActive(next === undefined ? null : rowPath(next))
      }
      await tree.reload(row.folder)
      if (trashed !== null)
        notice(t.files.deleted(row.name), {
          label: t.files.undo,
          onSelect: () => void restore(trashed.id),
        })
    } catch (error) {
      if (error instanceof ApiError && error.name === 'TooLargeForTrash') onDialog({ kind: 'forever', path })
      else noticeError(error)
    }
  }

  function restore(id: string): Promise<void> {
    return attempt(async () => {
      const { path } = await api.restoreFile(id)
      await tree.reload(folderOf(path))
      await tree.reveal(path)
    })
  }

  async function uploadAll(folder: string, files: readonly DroppedFile[]): Promise<void> {
    const failed: string[] = []
    for (const { path, file } of files) {
      try {
        await api.uploadFile(joinPath(folder, path), file.slice(0, file.size, 'application/octet-stream'))
      } catch (error) {
        failed.push(`${path}: ${toErrorInfo(error).message}`)
        // The server is gone or the disk is full, so the rest would fail too.
        if (!(error instanceof ApiError) || error.status === 0 || error.status === 507) break
      }
    }
    const done = files.length - failed.length
    if (done > 0) notice(t.files.uploaded(done))
    for (const text of failed.slice(0, 3)) noticeError(new Error(text))
    if (folder !== '') tree.setExpanded(folder, true)
    await tree.reload(folder)
  }
}

export function openFilePanel(session: Pick<ChatSessionStore, 'panels'>, path: string): void {
  session.panels.open({ kind: 'file', key: path, title: nameOf(path), data: { path } })
}

/** An open panel of a moved file shows it at its new place. */
function followMove(session: ChatSessionStore, from: string, to: string): void {
  for (const panel of session.panels.getState().panels) {
    if (panel.kind !== 'file' || (panel.key !== from && !panel.key.startsWith(`${from}/`))) continue
    const path = to + panel.key.slice(from.length)
    session.panels.open({ kind: 'file', key: path, title: nameOf(path), data: { path } }, { behind: true })
    session.panels.close(panel.id)
  }
}

export function mentionOf(path: string, lines?: { from: number; to: number }): string {
  const range = lines === undefined ? '' : lines.from === lines.to ? `:${lines.from}` : `:${lines.from}-${lines.to}`
  const isPlain = !/[\s"'`<>|*?(){}[\],;!@]/.test(path)
  return isPlain ? `@${path}${range}` : `@"${path.replaceAll(/["\n]/g, '?')}"${range}`
}
