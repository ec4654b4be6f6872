import type { Api } from '../api/api.ts'
import { pageAccess } from '../api/page-access.ts'
import { ApiError, toErrorInfo } from '../api/request.ts'
import type { ChatSessionStore } from '../chat/session/session-types.ts'
import { addToDraft } from '../composer/add-to-draft.ts'
import { notice, noticeError } from '../state/notices.tsx'
import { t } from '../texts/t.ts'
import { collectDropped, type DroppedFile } from './dropped-files.ts'
import { folderOf, isOpenable, joinPath, nameOf, outermost, rowPath, type TreeRow } from './tree-rows.ts'
import type { FileTree } from './tree-store.ts'

/** Actions on a row or a folder. Every failure is shown. */
export interface FileActions {
  open(row: TreeRow): void
  mention(paths: readonly string[]): void
  download(paths: readonly string[]): void
  create(folder: string, name: string, kind: 'file' | 'folder'): Promise<void>
  rename(path: string, name: string): Promise<void>
  move(paths: readonly string[], folder: string): Promise<void>
  remove(paths: readonly string[]): Promise<void>
  upload(folder: string, dropped: DataTransfer | FileList): Promise<void>
  /** Opens the browser's dialog for files. */
  pickUpload(folder: string): void
  pickFolder(paths: readonly string[]): void
  showTrash(): void
}

interface FileActionsOptions {
  api: Api
  tree: FileTree
  session: ChatSessionStore
  onDialog: (dialog: FilesDialog) => void
}

export type FilesDialog =
  | { kind: 'move'; paths: readonly string[] }
  | { kind: 'forever'; paths: readonly string[] }
  | { kind: 'trash' }

/** Browsers stop a page that downloads more at once. */
const mostDownloads = 10
const downloadEveryMs = 250

export function createFileActions({ api, tree, session, onDialog }: FileActionsOptions): FileActions {
  const actions: FileActions = {
    open(row) {
      if (!isOpenable(row))
        return notice(row.kind === 'link' ? t.files.linkTo[row.target ?? 'missing'] : t.files.special)
      openFilePanel(session, rowPath(row))
    },
    mention: (paths) => addToDraft(session, `${paths.map((path) => mentionOf(path)).join(' ')} `),
    download(paths) {
      if (paths.length > mostDownloads) notice(t.files.downloadSome(mostDownloads))
      for (const [index, path] of paths.slice(0, mostDownloads).entries())
        setTimeout(() => downloadOne(path), index * downloadEveryMs)
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
    move: (paths, folder) => moveAll(paths, folder),
    remove: (paths) => remove(outermost(paths)),
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
    pickFolder: (paths) => onDialog({ kind: 'move', paths: outermost(paths) }),
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

  async function moveAll(paths: readonly string[], folder: string): Promise<void> {
    const from = outermost(paths).filter((path) => folderOf(path) !== folder)
    if (from.length === 1) return moveTo(from[0]!, joinPath(folder, nameOf(from[0]!)))
    const moved: string[] = []
    await each(from, async (path) => {
      const done = await api.moveFile(path, joinPath(folder, nameOf(path)))
      followMove(session, path, done.path)
      moved.push(done.path)
    })
    await Promise.all([...new Set([...from.map(folderOf), folder])].map((one) => tree.reload(one)))
    const last = moved.at(-1)
    if (last === undefined) return
    await tree.reveal(last)
    tree.select(moved, last)
  }

  async function remove(paths: readonly string[]): Promise<void> {
    const { rows, active } = tree.getState()
    const next = active === null ? undefined : rowAfter(rows, active, paths)
    const trashed: string[] = []
    const tooLarge: string[] = []
    const removed = await each(paths, async (path) => {
      try {
        const answer = await api.deleteFile(path)
        if (answer.trashed !== null) trashed.push(answer.trashed.id)
      } catch (error) {
        if (!(error instanceof ApiError) || error.name !== 'TooLargeForTrash') throw error
        tooLarge.push(path)
      }
    })
    if (removed > tooLarge.length && next !== undefined) tree.setActive(next)
    await Promise.all([...new Set(paths.map(folderOf))].map((folder) => tree.reload(folder)))
    const [first = ''] = paths
    if (trashed.length > 0)
      notice(paths.length === 1 ? t.files.deleted(nameOf(first)) : t.files.deletedSome(trashed.length), {
        label: t.files.undo,
        onSelect: () => void restore(trashed),
      })
    if (tooLarge.length > 0) onDialog({ kind: 'forever', paths: tooLarge })
  }

  function restore(ids: readonly string[]): Promise<void> {
    return attempt(async () => {
      const restored: string[] = []
      for (const id of ids.toReversed()) restored.push((await api.restoreFile(id)).path)
      await Promise.all([...new Set(restored.map(folderOf))].map((folder) => tree.reload(folder)))
      const last = restored.at(-1)
      if (last !== undefined) await tree.reveal(last)
    })
  }

  /** Goes on after a failure, but shows only the first three. Returns the number that worked. */
  async function each(paths: readonly string[], work: (path: string) => Promise<void>): Promise<number> {
    let failed = 0
    for (const path of paths) {
      try {
        await work(path)
      } catch (error) {
        if (++failed <= 3) noticeError(paths.length === 1 ? error : new Error(`${path}: ${toErrorInfo(error).message}`))
      }
    }
    return paths.length - failed
  }

  function downloadOne(path: string): void {
    const link = document.createElement('a')
    link.href = pageAccess.link(api.downloadPath(path))
    link.download = nameOf(path)
    link.click()
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

/** The row to go to when rows are gone: the next one that stays, or else the one before. */
function rowAfter(rows: readonly TreeRow[], active: string, gone: readonly string[]): string | undefined {
  const stays = (row: TreeRow) => !gone.some((path) => `${rowPath(row)}/`.startsWith(`${path}/`))
  const at = rows.findIndex((row) => rowPath(row) === active)
  const next = rows.slice(at + 1).find(stays) ?? rows.slice(0, Math.max(0, at)).findLast(stays)
  return next === undefined ? undefined : rowPath(next)
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
