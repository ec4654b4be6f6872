import {
  type DragEvent,
  type KeyboardEvent,
  type MouseEvent,
  useCallback,
  useEffect,
  useId,
  useMemo,
  useRef,
  useState,
} from 'react'
import { useStore } from 'zustand'
import '../texts/show-late.ts'
import { t } from '../texts/t.ts'
import type { FileActions } from './file-actions.ts'
import { type RowMenu, TreeMenu } from './tree-menu.tsx'
import { NameField, TreeRowView } from './tree-row.tsx'
import {
  folderOf,
  isFolder,
  nameOf,
  pathsBetween,
  rowPath,
  shownFolders,
  type TreeRow,
  typedAhead,
} from './tree-rows.ts'
import type { FileTree, Naming } from './tree-store.ts'
import './tree-view.css'
import { useTreeWindow } from './tree-window.ts'

const typingMs = 700
const dragOpenMs = 700
const dragType = 'application/x-troupe-file'

interface TreeViewProps {
  tree: FileTree
  actions: FileActions
  /** Matches of the filter instead of the tree. */
  found: readonly TreeRow[] | undefined
  onLeaveTop: () => void
}

/** Tree of files with the keys of the ARIA tree pattern. Only visible rows are in the document. */
export function TreeView({ tree, actions, found, onLeaveTop }: TreeViewProps) {
  const all = useStore(tree, (state) => state.rows)
  const rows = found ?? all
  const expanded = useStore(tree, (state) => state.expanded)
  const active = useStore(tree, (state) => state.active)
  const selected = useStore(tree, (state) => state.selected)
  const marks = useStore(tree, (state) => state.marks)
  const naming = useStore(tree, (state) => state.naming)
  const [menu, setMenu] = useState<RowMenu>()
  const [over, setOver] = useState<string>()
  const scroller = useRef<HTMLDivElement>(null)
  const typed = useRef({ text: '', at: 0 })
  /** The row that a range begins at. */
  const anchor = useRef<string | null>(null)
  const baseId = useId()
  const drawn = useDrawnRows(rows, naming, found !== undefined)
  const window = useTreeWindow(scroller, drawn.length, {
    initialTop: found === undefined ? tree.scrollTop : 0,
    onScroll: useCallback((top: number) => void (found === undefined && (tree.scrollTop = top)), [tree, found]),
  })
  const { scrollTo } = window
  const activeAt = useMemo(() => rowIndex(rows, active), [rows, active])
  const activeDrawn = useMemo(() => rowIndex(drawn, active), [drawn, active])

  useEffect(() => {
    if (activeDrawn >= 0) scrollTo(activeDrawn)
    // Only when another row becomes active, not when rows are added above.
    // oxlint-disable-next-line react-hooks/exhaustive-deps
  }, [active, found === undefined, scrollTo])
  useEffect(() => {
    const at = drawn.findIndex((row) => row.kind === 'new')
    if (at >= 0) scrollTo(at)
    // oxlint-disable-next-line react-hooks/exhaustive-deps
  }, [naming, scrollTo])

  const focusTree = () => scroller.current?.focus({ preventScroll: true })
  const go = (index: number) => {
    const row = rows[Math.max(0, Math.min(rows.length - 1, index))]
    if (row !== undefined) tree.setActive(rowPath(row))
  }
  const open = (row: TreeRow) => {
    const path = rowPath(row)
    tree.setActive(path)
    if (!isFolder(row)) return actions.open(row)
    if (found !== undefined) return void tree.reveal(path).then(() => tree.setExpanded(path, true))
    tree.setExpanded(path, !expanded.has(path))
  }
  const openMenu = (row: TreeRow | undefined, at: { x: number; y: number }) => {
    const isOne = row === undefined || selected.size < 2 || !selected.has(rowPath(row))
    setMenu({ row, rows: isOne ? undefined : rows.filter((one) => selected.has(rowPath(one))), ...at })
  }
  /** The rows that a key is about. */
  const targets = (row: TreeRow): string[] => (selected.size > 1 ? [...selected] : [rowPath(row)])
  const toggle = (path: string) => {
    const before = selected.size > 0 || active === null || activeAt < 0 ? selected : new Set([active])
    const next = new Set(before)
    if (!next.delete(path)) next.add(path)
    anchor.current = path
    tree.select(next, path)
  }
  const extendTo = (index: number) => {
    const row = rows[Math.max(0, Math.min(rows.length - 1, index))]
    if (row === undefined) return
    if (selected.size === 0 || anchor.current === null) anchor.current = active
    const from = rowIndex(rows, anchor.current)
    const to = rowIndex(rows, rowPath(row))
    tree.select(pathsBetween(rows, from < 0 ? to : from, to), rowPath(row))
  }
  const onClick = (event: MouseEvent, row: TreeRow) => {
    const path = rowPath(row)
    if (event.ctrlKey || event.metaKey) return toggle(path)
    if (event.shiftKey) return extendTo(rowIndex(rows, path))
    anchor.current = path
    open(row)
  }

  const onKeyDown = (event: KeyboardEvent<HTMLDivElement>) => {
    if (event.target !== event.currentTarget || event.nativeEvent.isComposing) return
    const row = rows[activeAt]
    const page = Math.max(1, Math.floor((scroller.current?.clientHeight ?? 0) / window.rowHeight) - 1)
    const hasModifier = event.ctrlKey || event.metaKey || event.altKey
    const steps: Record<string, () => void> = {
      ArrowDown: () => go(activeAt + 1),
      ArrowUp: () => (activeAt <= 0 ? onLeaveTop() : go(activeAt - 1)),
      Home: () => go(0),
      End: () => go(rows.length - 1),
      PageDown: () => go(activeAt + page),
      PageUp: () => go(activeAt - page),
      ArrowRight: () => row !== undefined && onRight(row),
      ArrowLeft: () => row !== undefined && onLeft(row),
      Enter: () => row !== undefined && open(row),
      ' ': () => row !== undefined && open(row),
      F2: () => row !== undefined && tree.setNaming({ kind: 'rename', path: rowPath(row) }),
      Delete: () => row !== undefined && void actions.remove(targets(row)),
      ContextMenu: () => openMenu(row, menuPlace()),
    }
    const extensions: Record<string, number> = {
      ArrowDown: activeAt + 1,
      ArrowUp: activeAt - 1,
      Home: 0,
      End: rows.length - 1,
      PageDown: activeAt + page,
      PageUp: activeAt - page,
    }
    const isCommand = (event.ctrlKey || event.metaKey) && !event.altKey
    if (event.key === 'F10' && event.shiftKey) openMenu(row, menuPlace())
    else if (isCommand && event.key === 'a' && rows.length > 0)
      tree.select(rows.map(rowPath), active ?? rowPath(rows[0]!))
    else if (isCommand && event.key === ' ' && row !== undefined) toggle(rowPath(row))
    else if (event.key === 'Escape' && selected.size > 0) tree.setActive(active)
    else if (event.shiftKey && !hasModifier && extensions[event.key] !== undefined)
      extendTo(extensions[event.key] as number)
    else if (!hasModifier && steps[event.key] !== undefined) steps[event.key]?.()
    else if (!hasModifier && /^.$/su.test(event.key)) typeAhead(event.key)
    else return
    event.preventDefault()
    event.stopPropagation()
  }

  function onRight(row: TreeRow): void {
    const path = rowPath(row)
    if (!isFolder(row) || found !== undefined) return
    if (!expanded.has(path)) tree.setExpanded(path, true)
    else if (rows[activeAt + 1]?.folder === path) go(activeAt + 1)
  }

  function onLeft(row: TreeRow): void {
    const path = rowPath(row)
    if (found === undefined && isFolder(row) && expanded.has(path)) tree.setExpanded(path, false)
    else if (found === undefined && row.folder !== '') tree.setActive(row.folder)
  }

  function typeAhead(key: string): void {
    const now = Date.now()
    typed.current = { text: now - typed.current.at < typingMs ? typed.current.text + key : key, at: now }
    const index = typedAhead(rows, activeAt, typed.current.text)
    if (index !== undefined) go(index)
  }

  function menuPlace(): { x: number; y: number } {
    const element = document.getElementById(`${baseId}-${activeDrawn}`)
    const box = (element ?? scroller.current)?.getBoundingClientRect()
    return { x: (box?.left ?? 0) + 24, y: element === null ? (box?.top ?? 0) + 8 : (box?.bottom ?? 0) }
  }

  /** The folder that a drop at this row goes to. */
  const dropFolder = (row: TreeRow | undefined): string =>
    row === undefined ? '' : isFolder(row) ? rowPath(row) : row.folder
  const onDrop = (event: DragEvent, row: TreeRow | undefined) => {
    event.preventDefault()
    event.stopPropagation()
    setOver(undefined)
    const moved = readDragged(event.dataTransfer.getData(dragType))
    if (moved.length === 0) void actions.upload(dropFolder(row), event.dataTransfer)
    else void actions.move(moved, dropFolder(row))
  }
  const onDragOver = (event: DragEvent, row: TreeRow | undefined) => {
    const { types } = event.dataTransfer
    if (!types.some((type) => type === dragType || type === 'Files')) return
    event.preventDefault()
    event.stopPropagation()
    event.dataTransfer.dropEffect = types.includes(dragType) ? 'move' : 'copy'
    setOver(dropFolder(row))
  }
  useDragOpening(over, expanded, tree)

  return (
    <>
      <div
        ref={scroller}
        className="tree-scroller"
        role="tree"
        aria-label={t.files.title}
        aria-multiselectable
        aria-activedescendant={
          activeDrawn >= window.from && activeDrawn < window.to ? `${baseId}-${activeDrawn}` : undefined
        }
        tabIndex={0}
        data-over={over === ''}
        onKeyDown={onKeyDown}
        onFocus={() => active === null && go(0)}
        onContextMenu={(event) => {
          event.preventDefault()
          openMenu(undefined, { x: event.clientX, y: event.clientY })
        }}
        onDragOver={(event) => onDragOver(event, undefined)}
        onDragLeave={(event) => event.target === event.currentTarget && setOver(undefined)}
        onDrop={(event) => onDrop(event, undefined)}
      >
        <div role="none" style={{ height: window.height }}>
          <div role="none" className="tree-rows" style={{ transform: `translateY(${window.top}px)` }}>
            {drawn.slice(window.from, window.to).map((row, place) => {
              const index = window.from + place
              if (row.kind === 'new')
                return (
                  <NameField
                    key="new"
                    kind={row.entry}
                    depth={row.depth}
                    initial=""
                    onName={(name) => void actions.create(row.folder, name, row.entry).then(focusTree)}
                    onCancel={() => {
                      tree.setNaming(null)
                      focusTree()
                    }}
                  />
                )
              const path = rowPath(row)
              if (naming?.kind === 'rename' && naming.path === path)
                return (
                  <NameField
                    key={path}
                    kind={isFolder(row) ? 'folder' : 'file'}
                    depth={row.depth}
                    initial={nameOf(path)}
                    onName={(name) => void actions.rename(path, name).then(focusTree)}
                    onCancel={() => {
                      tree.setNaming(null)
                      focusTree()
                    }}
                  />
                )
              return (
                <TreeRowView
                  key={path}
                  id={`${baseId}-${index}`}
                  row={row}
                  setSize={found === undefined ? (tree.getState().folders.get(row.folder)?.total ?? 1) : rows.length}
                  isActive={path === active}
                  isSelected={selected.size > 0 ? selected.has(path) : path === active}
                  isExpanded={found === undefined && isFolder(row) ? expanded.has(path) : undefined}
                  isTarget={over !== undefined && over !== '' && (over === path || row.folder === over)}
                  mark={marks.files.get(path) ?? (marks.folders.has(path) ? 'inside' : undefined)}
                  showsFolder={found !== undefined}
                  onClick={(event) => onClick(event, row)}
                  onMenu={(x, y) => {
                    if (!selected.has(path)) tree.setActive(path)
                    openMenu(row, { x, y })
                  }}
                  onDragStart={(event) => {
                    event.dataTransfer.setData(dragType, JSON.stringify(selected.has(path) ? [...selected] : [path]))
                    event.dataTransfer.effectAllowed = 'copyMove'
                  }}
                  onDragOver={(event) => onDragOver(event, row)}
                  onDrop={(event) => onDrop(event, row)}
                />
              )
            })}
          </div>
        </div>
      </div>
      {menu !== undefined && (
        <TreeMenu
          menu={menu}
          actions={actions}
          tree={tree}
          onClosed={() => {
            setMenu(undefined)
            if (tree.getState().naming === null && document.querySelector('dialog[open]:not([aria-label])') === null)
              focusTree()
          }}
        />
      )}
    </>
  )
}

/** Another page may have started the drag. */
function readDragged(text: string): string[] {
  try {
    const paths: unknown = JSON.parse(text)
    return Array.isArray(paths) ? paths.filter((path) => typeof path === 'string') : []
  } catch {
    return []
  }
}

interface NewRow {
  kind: 'new'
  entry: 'file' | 'folder'
  folder: string
  depth: number
}

/** Compares names first: joining the paths of a hundred thousand rows would take longer than a frame. */
function rowIndex(rows: readonly (TreeRow | NewRow)[], path: string | null): number {
  if (path === null) return -1
  const [folder, name] = [folderOf(path), nameOf(path)]
  return rows.findIndex((row) => row.kind !== 'new' && row.name === name && row.folder === folder)
}

/** The rows with a field for the name of a new entry, first in its folder. */
function useDrawnRows(
  rows: readonly TreeRow[],
  naming: Naming | null,
  isFound: boolean,
): readonly (TreeRow | NewRow)[] {
  return useMemo(() => {
    if (naming === null || naming.kind === 'rename' || isFound) return rows
    const { folder } = naming
    const at = folder === '' ? 0 : rowIndex(rows, folder) + 1
    const depth = folder === '' ? 0 : folder.split('/').length
    return [...rows.slice(0, at), { kind: 'new', entry: naming.kind, folder, depth }, ...rows.slice(at)]
  }, [rows, naming, isFound])
}

/** A closed folder opens while something is held over it. */
function useDragOpening(over: string | undefined, expanded: ReadonlySet<string>, tree: FileTree): void {
  const isClosed = over !== undefined && over !== '' && !expanded.has(over)
  useEffect(() => {
    if (!isClosed || over === undefined || !shownFolders(expanded).includes(folderOf(over))) return
    const timer = setTimeout(() => tree.setExpanded(over, true), dragOpenMs)
    return () => clearTimeout(timer)
  }, [isClosed, over, expanded, tree])
}
