import type { Folder } from '@troupe/core'
import {
  Archive,
  ArchiveRestore,
  Braces,
  Check,
  CheckSquare,
  Download,
  FileText,
  Folder as FolderIcon,
  FolderInput,
  FolderPlus,
  Pencil,
  Pin,
  PinOff,
  Play,
  RotateCcw,
  Share2,
  Trash2,
  X,
} from 'lucide-react'
import type { ListedSession } from '../api/api.ts'
import { downloadChat, type ExportFormat } from '../sharing/share-actions.ts'
import { notice } from '../state/notices.tsx'
import { t } from '../texts/t.ts'
import type { MenuItem } from '../ui/menu.tsx'
import type { AppStore } from '../workspace/app-store.ts'

/** Actions for a session, depending on its view. Loaded with the first menu. @public */
export function sessionMenu(
  app: AppStore,
  session: ListedSession,
  on: {
    rename: () => void
    deleteForGood: () => void
    newFolder: () => void
    branch: () => string | undefined
    link: (path: string) => string
  },
  place: 'row' | 'header' = 'row',
): MenuItem[] {
  const ids = [session.id]
  const exporting: MenuItem = {
    label: t.sessions.export,
    icon: <Download aria-hidden />,
    items: exportItems(session.id, on),
  }
  if (session.trashedAt !== null) {
    return [
      {
        label: t.sessions.restore,
        icon: <RotateCcw aria-hidden />,
        onSelect: () => void app.changeSessions(ids, { trashed: false }),
      },
      exporting,
      { label: t.sessions.deletePermanently, icon: <Trash2 aria-hidden />, danger: true, onSelect: on.deleteForGood },
    ]
  }
  const { pinned, archived } = session
  return [
    {
      label: pinned ? t.sessions.unpin : t.sessions.pin,
      icon: pinned ? <PinOff aria-hidden /> : <Pin aria-hidden />,
      onSelect: () => void app.changeSessions(ids, { pinned: !pinned }),
    },
    { label: t.sessions.rename, icon: <Pencil aria-hidden />, onSelect: on.rename },
    {
      label: t.sessions.move,
      icon: <FolderInput aria-hidden />,
      items: folderItems(app.getState().folders, session.folderId, on.newFolder, (folderId) =>
        app.changeSessions(ids, { folderId }),
      ),
    },
    {
      label: t.sessions.share,
      icon: <Share2 aria-hidden />,
      onSelect: () => app.share(session.id, on.branch()),
    },
    exporting,
    // Selects rows of the list.
    ...(place === 'row'
      ? [{ label: t.sessions.select, icon: <CheckSquare aria-hidden />, onSelect: () => app.setPicked(ids) }]
      : []),
    archived
      ? {
          label: t.sessions.unarchive,
          icon: <ArchiveRestore aria-hidden />,
          onSelect: () => void app.changeSessions(ids, { archived: false }),
        }
      : { label: t.sessions.archive, icon: <Archive aria-hidden />, onSelect: () => void archive(app, [session]) },
    {
      label: t.sessions.delete,
      icon: <Trash2 aria-hidden />,
      danger: true,
      onSelect: () => void trash(app, [session]),
    },
  ]
}

export function folderItems(
  folders: Folder[],
  current: string | null | undefined,
  onNew: () => void,
  onMove: (folderId: string | null) => Promise<void>,
): MenuItem[] {
  const item = (folder: Folder, depth: number): MenuItem => ({
    label: `${'\u2003'.repeat(depth)}${folder.name}`,
    icon: folder.id === current ? <Check aria-hidden /> : <FolderIcon aria-hidden />,
    onSelect: () => void onMove(folder.id),
  })
  const tree = folders
    .filter((folder) => folder.parentFolderId === null)
    .flatMap((outer) => [
      item(outer, 0),
      ...folders.filter((folder) => folder.parentFolderId === outer.id).map((inner) => item(inner, 1)),
    ])
  return [
    {
      label: t.sessions.noFolder,
      icon: current === null ? <Check aria-hidden /> : <X aria-hidden />,
      onSelect: () => void onMove(null),
    },
    ...tree,
    { label: t.sessions.newFolder, icon: <FolderPlus aria-hidden />, onSelect: onNew },
  ]
}

function exportItems(
  sessionId: string,
  { branch, link }: { branch: () => string | undefined; link: (path: string) => string },
): MenuItem[] {
  const download = (format: ExportFormat) => () => downloadChat({ sessionId, leaf: branch() }, format, link)
  return [
    { label: t.sessions.exportMarkdown, icon: <FileText aria-hidden />, onSelect: download('md') },
    { label: t.sessions.exportHtml, icon: <Play aria-hidden />, onSelect: download('html') },
    { label: t.sessions.exportJson, icon: <Braces aria-hidden />, onSelect: download('json') },
  ]
}

type TitledSession = Pick<ListedSession, 'id' | 'title'>

export async function trash(app: AppStore, sessions: TitledSession[]): Promise<void> {
  const ids = sessions.map(({ id }) => id)
  await app.changeSessions(ids, { trashed: true })
  notice(t.sessions.trashed(ids.length, noticeTitle(sessions)), {
    label: t.ui.undo,
    onSelect: () => void app.changeSessions(ids, { trashed: false }),
  })
}

export async function archive(app: AppStore, sessions: TitledSession[]): Promise<void> {
  const ids = sessions.map(({ id }) => id)
  await app.changeSessions(ids, { archived: true })
  notice(t.sessions.archived(ids.length, noticeTitle(sessions)), {
    label: t.ui.undo,
    onSelect: () => void app.changeSessions(ids, { archived: false }),
  })
}

function noticeTitle([first]: TitledSession[]): string {
  return first === undefined || first.title === '' ? t.sessions.untitled : first.title
}
