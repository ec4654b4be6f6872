import { createStore, type StoreApi } from 'zustand/vanilla'
import type { Api } from '../api/api.ts'
import { isUnreachable, toErrorInfo } from '../api/request.ts'
import type { KeyValueStorage } from '../platform/storage.ts'
import { createFileWatch, type FileWatch } from './file-watch.ts'
import {
  type FileMarks,
  folderOf,
  foldersAbove,
  type Folders,
  type FolderState,
  marksOf,
  nameOf,
  noMarks,
  shownFolders,
  toRows,
  type TreeRow,
  visibleRows,
} from './tree-rows.ts'

export interface FoundFiles {
  query: string
  rows: readonly TreeRow[]
  total: number
  isCut: boolean
}

export interface TreeState {
  folders: Folders
  expanded: ReadonlySet<string>
  /** Rows of the open folders. */
  rows: readonly TreeRow[]
  /** Path of the row that keys act on. */
  active: string | null
  /** Paths of several rows that actions are about. Empty for only the active one. */
  selected: ReadonlySet<string>
  marks: FileMarks
  filter: string
  /** Undefined without a filter, and until the first answer. */
  found: FoundFiles | undefined
  /** The name being typed: of a new entry in a folder, or of a row. */
  naming: Naming | null
}

export type Naming = { kind: 'file' | 'folder'; folder: string } | { kind: 'rename'; path: string }

export interface FileTree extends StoreApi<TreeState> {
  readonly watch: FileWatch
  /** Loads and watches what is shown until the returned function is called. */
  show(): () => void
  setExpanded(path: string, isExpanded: boolean): void
  /** Makes a row active and ends a selection of several. */
  setActive(path: string | null): void
  /** Selects several rows. Keys act on `active`, one of them. */
  select(paths: Iterable<string>, active: string): void
  setFilter(filter: string): void
  setNaming(naming: Naming | null): void
  /** Reads a folder again, if it is shown. */
  reload(folder: string): Promise<void>
  /** Opens all folders above a path and makes it active. */
  reveal(path: string): Promise<void>
  /** Scroll position, which outlives the component. */
  scrollTop: number
}

/** The first page is on screen while the rest is on its way. */
const firstPage = 200
const nextPages = 10_000
const marksEveryMs = 1500
/** A folder this large is not read again at every change. */
const largeFolder = 2000
const largeEveryMs = 2000
const maxRemembered = 200

type TreeApi = Pick<Api, 'files' | 'searchFiles' | 'gitStatus' | 'fileEvents' | 'watchFolders'>

export function createFileTree(api: TreeApi, kept: KeyValueStorage, key: string): FileTree {
  const store = createStore<TreeState>(() => ({
    folders: new Map(),
    expanded: new Set(readList(kept.get(key))),
    rows: [],
    active: null,
    selected: new Set(),
    marks: noMarks,
    filter: '',
    found: undefined,
    naming: null,
  }))
  const { getState, setState } = store
  const watch = createFileWatch(api)
  const watched = new Map<string, () => void>()
  /** The newest load of each folder. Older ones give up. */
  const loads = new Map<string, object>()
  const delayed = new Map<string, ReturnType<typeof setTimeout>>()
  let shows = 0
  let searching: AbortController | undefined
  let marksTimer: ReturnType<typeof setTimeout> | undefined
  let marksAt = 0

  const tree: FileTree = {
    ...store,
    watch,
    scrollTop: 0,
    show() {
      shows++
      settle()
      void loadMarks()
      return () => {
        shows--
        if (shows > 0) return
        for (const stop of watched.values()) stop()
        watched.clear()
      }
    },
    setExpanded(path, isExpanded) {
      const expanded = new Set(getState().expanded)
      if (isExpanded) expanded.add(path)
      else expanded.delete(path)
      setExpanded(expanded)
    },
    setActive: (active) => setState({ active, selected: none }),
    select: (paths, active) => setState({ active, selected: new Set(paths) }),
    setNaming(naming) {
      if (naming !== null && naming.kind !== 'rename' && naming.folder !== '') tree.setExpanded(naming.folder, true)
      setState({ naming })
    },
    setFilter(filter) {
      searching?.abort()
      setState({ filter, selected: none, ...(filter.trim() === '' && { found: undefined }) })
      if (filter.trim() !== '') void search(filter.trim())
    },
    reload: async (folder) => {
      if (getState().folders.has(folder)) await load(folder)
    },
    async reveal(path) {
      setExpanded(new Set([...getState().expanded, ...foldersAbove(path)]))
      await Promise.all(['', ...foldersAbove(path)].filter((folder) => !isLoaded(folder)).map(load))
      setState({ active: path, selected: none, filter: '', found: undefined })
    },
  }
  return tree

  function isLoaded(folder: string): boolean {
    return getState().folders.has(folder)
  }

  function setExpanded(expanded: ReadonlySet<string>): void {
    kept.set(key, JSON.stringify([...expanded].slice(-maxRemembered)))
    setState({ expanded, rows: visibleRows(getState().folders, expanded) })
    if (shows > 0) settle()
  }

  /** Loads and watches the shown folders, and forgets closed ones, which may hold many rows. */
  function settle(): void {
    const shown = new Set(shownFolders(getState().expanded))
    for (const [folder, stop] of watched) {
      if (shown.has(folder)) continue
      stop()
      watched.delete(folder)
    }
    const folders = new Map([...getState().folders].filter(([folder]) => shown.has(folder)))
    if (folders.size < getState().folders.size) setState({ folders })
    for (const folder of shown) {
      if (watched.has(folder)) continue
      watched.set(
        folder,
        watch.watch(folder, () => onChange(folder)),
      )
      // It may have changed while nobody watched.
      void load(folder)
    }
  }

  function onChange(folder: string): void {
    void loadMarks()
    const isLarge = (getState().folders.get(folder)?.total ?? 0) > largeFolder
    if (!isLarge) return void load(folder)
    if (delayed.has(folder)) return
    delayed.set(
      folder,
      setTimeout(() => {
        delayed.delete(folder)
        void load(folder)
      }, largeEveryMs),
    )
  }

  async function load(folder: string): Promise<void> {
    const mine = {}
    loads.set(folder, mine)
    const isMine = () => loads.get(folder) === mine
    const hasRows = (getState().folders.get(folder)?.rows.length ?? 0) > 0
    try {
      const first = await api.files({ path: folder, limit: firstPage })
      const rows = toRows(folder, first.entries)
      let { total } = first
      if (!isMine()) return
      // Rows that are on screen stay until all new ones are there.
      if (!hasRows || rows.length >= total) put(folder, { rows, total })
      while (rows.length < total) {
        const next = await api.files({ path: folder, offset: rows.length, limit: nextPages })
        if (!isMine()) return
        total = next.entries.length === 0 ? rows.length : next.total
        for (const row of toRows(folder, next.entries, rows.length)) rows.push(row)
        if (!hasRows || rows.length >= total) put(folder, { rows: [...rows], total })
      }
    } catch (error) {
      if (!isMine()) return
      // With a lost connection, the old rows are better than none.
      if (isUnreachable(error) && hasRows) return
      put(folder, { rows: [], total: 0, problem: toErrorInfo(error).message })
    } finally {
      if (isMine()) loads.delete(folder)
    }
  }

  function put(folder: string, state: FolderState): void {
    const { folders, expanded } = getState()
    if (folder !== '' && !expanded.has(folder)) return
    const next = new Map(folders).set(folder, state)
    setState({ folders: next, rows: visibleRows(next, expanded), ...stillSelected(folder, state) })
  }

  /** Entries that are gone from a folder are no longer selected. */
  function stillSelected(folder: string, { rows, total }: FolderState): Partial<TreeState> {
    const { selected } = getState()
    if (selected.size === 0 || rows.length < total) return {}
    const names = new Set(rows.map(({ name }) => name))
    const kept = [...selected].filter((path) => folderOf(path) !== folder || names.has(nameOf(path)))
    return kept.length === selected.size ? {} : { selected: new Set(kept) }
  }

  async function search(query: string, isAgain = false): Promise<void> {
    const mine = new AbortController()
    searching = mine
    try {
      const { matches, total, isFresh, isCut } = await api.searchFiles(query, mine.signal)
      if (mine.signal.aborted) return
      const rows = matches.map(({ path, kind }, index): TreeRow => ({
        name: path.slice(path.lastIndexOf('/') + 1),
        kind,
        folder: folderOf(path),
        depth: 0,
        position: index + 1,
      }))
      setState({ found: { query, rows, total, isCut } })
      // New files may not have been in the list yet.
      if (!isFresh && !isAgain) setTimeout(() => !mine.signal.aborted && void search(query, true), 700)
    } catch (error) {
      if (mine.signal.aborted || isUnreachable(error)) return
      setState({ found: { query, rows: [], total: 0, isCut: false } })
    }
  }

  /** Git marks are optional: without git, or if it fails, there are none. */
  async function loadMarks(): Promise<void> {
    const wait = marksAt + marksEveryMs - Date.now()
    if (wait > 0) {
      marksTimer ??= setTimeout(() => {
        marksTimer = undefined
        if (shows > 0) void loadMarks()
      }, wait)
      return
    }
    marksAt = Date.now()
    try {
      const status = await api.gitStatus()
      setState({ marks: status.state === 'ready' ? marksOf(status.files) : noMarks })
    } catch {
      setState({ marks: noMarks })
    }
  }
}

const none: ReadonlySet<string> = new Set()

function readList(text: string | null): string[] {
  try {
    const value: unknown = JSON.parse(text ?? '[]')
    return Array.isArray(value) ? value.filter((one) => typeof one === 'string') : []
  } catch {
    return []
  }
}
