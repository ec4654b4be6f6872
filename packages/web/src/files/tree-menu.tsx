import {
  Clipboard,
  Download,
  FilePlus,
  FolderInput,
  FolderPlus,
  MessageSquareQuote,
  PanelRightOpen,
  Pencil,
  RotateCw,
  Trash2,
  Upload,
} from 'lucide-react'
import { lazy, Suspense } from 'react'
import '../texts/show-late.ts'
import { t } from '../texts/t.ts'
import { copyText } from '../ui/button.tsx'
import type { MenuItem } from '../ui/menu.tsx'
import type { FileActions } from './file-actions.ts'
import { isFolder, isOpenable, rowPath, type TreeRow } from './tree-rows.ts'
import type { FileTree } from './tree-store.ts'

const MenuPopup = lazy(() => import('../ui/menu-popup.tsx').then((loaded) => ({ default: loaded.MenuPopup })))

/** A context menu and its place in the window. Without a row it is that of the whole folder. */
export interface RowMenu {
  row: TreeRow | undefined
  /** Several selected rows, instead of one. */
  rows?: readonly TreeRow[] | undefined
  x: number
  y: number
}

interface TreeMenuProps {
  menu: RowMenu
  actions: FileActions
  tree: FileTree
  onClosed: () => void
}

export function TreeMenu({ menu: { row, rows, x, y }, actions, tree, onClosed }: TreeMenuProps) {
  const label =
    rows !== undefined
      ? t.files.selectedCount(rows.length)
      : row === undefined
        ? t.files.menu
        : t.files.menuOf(row.name)
  const items = rows === undefined ? menuItems(row, actions, tree) : selectionItems(rows, actions)
  const anchor = (
    <button type="button" className="tree-menu-anchor" tabIndex={-1} aria-label={label} style={{ left: x, top: y }} />
  )
  return (
    <Suspense fallback={null}>
      <MenuPopup key={`${x} ${y}`} trigger={anchor} items={items} onClosed={onClosed} />
    </Suspense>
  )
}

function selectionItems(rows: readonly TreeRow[], actions: FileActions): MenuItem[] {
  const paths = rows.map(rowPath)
  const files = rows.filter(isOpenable).map(rowPath)
  return [
    { label: t.files.askAboutThese, icon: <MessageSquareQuote aria-hidden />, onSelect: () => actions.mention(paths) },
    ...(files.length === 0
      ? []
      : [{ label: t.files.download, icon: <Download aria-hidden />, onSelect: () => actions.download(files) }]),
    {
      label: t.files.moveTo,
      icon: <FolderInput aria-hidden />,
      startsGroup: true,
      onSelect: () => actions.pickFolder(paths),
    },
    { label: t.files.copyPaths, icon: <Clipboard aria-hidden />, onSelect: () => void copyText(paths.join('\n')) },
    {
      label: t.files.delete,
      icon: <Trash2 aria-hidden />,
      danger: true,
      startsGroup: true,
      onSelect: () => void actions.remove(paths),
    },
  ]
}

function menuItems(row: TreeRow | undefined, actions: FileActions, tree: FileTree): MenuItem[] {
  const folder = row === undefined ? '' : isFolder(row) ? rowPath(row) : row.folder
  const inFolder: MenuItem[] = [
    {
      label: t.files.newFile,
      icon: <FilePlus aria-hidden />,
      startsGroup: true,
      onSelect: () => tree.setNaming({ kind: 'file', folder }),
    },
    {
      label: t.files.newFolder,
      icon: <FolderPlus aria-hidden />,
      onSelect: () => tree.setNaming({ kind: 'folder', folder }),
    },
    { label: t.files.upload, icon: <Upload aria-hidden />, onSelect: () => actions.pickUpload(folder) },
  ]
  if (row === undefined)
    return [
      ...inFolder,
      {
        label: t.files.reload,
        icon: <RotateCw aria-hidden />,
        startsGroup: true,
        onSelect: () => void tree.reload(''),
      },
      { label: t.files.trash, icon: <Trash2 aria-hidden />, onSelect: () => actions.showTrash() },
    ]
  const path = rowPath(row)
  const open: MenuItem[] = isOpenable(row)
    ? [
        { label: t.files.open, icon: <PanelRightOpen aria-hidden />, hint: '↵', onSelect: () => actions.open(row) },
        { label: t.files.mention, icon: <MessageSquareQuote aria-hidden />, onSelect: () => actions.mention([path]) },
        { label: t.files.download, icon: <Download aria-hidden />, onSelect: () => actions.download([path]) },
      ]
    : []
  return [
    ...open,
    ...inFolder,
    {
      label: t.files.rename,
      icon: <Pencil aria-hidden />,
      hint: 'F2',
      startsGroup: true,
      onSelect: () => tree.setNaming({ kind: 'rename', path }),
    },
    { label: t.files.moveTo, icon: <FolderInput aria-hidden />, onSelect: () => actions.pickFolder([path]) },
    { label: t.files.copyPath, icon: <Clipboard aria-hidden />, onSelect: () => void copyText(path) },
    {
      label: t.files.delete,
      icon: <Trash2 aria-hidden />,
      danger: true,
      startsGroup: true,
      onSelect: () => void actions.remove([path]),
    },
  ]
}
