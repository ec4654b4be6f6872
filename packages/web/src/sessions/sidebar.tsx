import { PanelLeftClose, Search, SquarePen, X } from 'lucide-react'
import { lazy, type RefObject, Suspense, useEffect, useRef, useState } from 'react'
import { flushSync } from 'react-dom'
import { FolderSwitcher } from '../folders/folder-switcher.tsx'
import { keyText } from '../platform/keyboard.ts'
import { TeamPart } from '../state/team.tsx'
import { t } from '../texts/t.ts'
import { IconButton } from '../ui/button.tsx'
import { Logo } from '../ui/elements.tsx'
import { currentFolder, useFolders } from '../workspace/folders.ts'
import { useApp, useWorkspace } from '../workspace/workspace.ts'
import { ListHead } from './list-head.tsx'
import { moveInList, SessionList } from './session-list.tsx'
import { SidebarFoot } from './sidebar-foot.tsx'
import './sidebar.css'

const SearchResults = lazy(() => import('./search-results.tsx').then((loaded) => ({ default: loaded.SearchResults })))
const AllFolders = lazy(() => import('../folders/all-folders.tsx').then((loaded) => ({ default: loaded.AllFolders })))
const WorktreeRows = lazy(() =>
  import('../worktrees/worktree-rows.tsx').then((loaded) => ({ default: loaded.WorktreeRows })),
)
const BulkBar = lazy(() => import('./bulk-bar.tsx').then((loaded) => ({ default: loaded.BulkBar })))

const typingPause = 180

export function Sidebar() {
  const { app } = useWorkspace()
  const open = useApp((state) => state.sidebar)
  const query = useApp((state) => state.search.query)
  const view = useApp((state) => state.view)
  const showsAll = useFolders((state) => state.showsAll)
  const hasWorktrees = useFolders((state) => (currentFolder(state)?.worktrees ?? 0) > 0)
  const isPicking = useApp((state) => state.picked !== null)
  const [typed, setTyped] = useState(query)
  const nav = useRef<HTMLElement>(null)
  useEffect(() => {
    const timer = setTimeout(() => void app.setSearch(typed), typed === '' ? 0 : typingPause)
    return () => clearTimeout(timer)
  }, [app, typed])
  useDrawer(nav, open)

  return (
    <>
      <nav
        ref={nav}
        className="sidebar"
        aria-label={t.sessions.nav}
        tabIndex={-1}
        data-open={open}
        data-focus-home=".session-open | .sidebar-new"
        inert={!open}
      >
        <header className="sidebar-head">
          <Logo />
          <strong>Troupe</strong>
          <IconButton label={t.sessions.hide} onClick={() => app.setSidebar(false)}>
            <PanelLeftClose />
          </IconButton>
        </header>
        <FolderSwitcher />
        <button
          type="button"
          className="sidebar-new"
          onClick={() => {
            app.newSession()
            if (view !== 'active') void app.setView('active')
          }}
        >
          <SquarePen aria-hidden />
          {t.sessions.newSession}
        </button>
        <search className="sidebar-search">
          <Search aria-hidden />
          <input
            type="text"
            aria-label={t.sessions.searchLabel}
            placeholder={t.sessions.searchPlaceholder}
            value={typed}
            onChange={(event) => setTyped(event.target.value)}
            onKeyDown={(event) => {
              if (moveInList(event, nav.current) || event.key !== 'Escape' || typed === '') return
              // Escape clears the search first. The next press closes the drawer.
              event.preventDefault()
              setTyped('')
            }}
          />
          {typed === '' ? (
            <kbd>{keyText('Mod+Shift+F')}</kbd>
          ) : (
            <IconButton label={t.sessions.clearSearch} onClick={() => setTyped('')}>
              <X />
            </IconButton>
          )}
        </search>
        {query.trim() === '' && showsAll ? (
          <Suspense>
            <AllFolders />
          </Suspense>
        ) : query.trim() === '' ? (
          <>
            <ListHead />
            <SessionList key={view} />
            {isPicking && (
              <Suspense>
                <BulkBar />
              </Suspense>
            )}
          </>
        ) : (
          <Suspense>
            <SearchResults />
          </Suspense>
        )}
        {hasWorktrees && (
          <Suspense>
            <WorktreeRows />
          </Suspense>
        )}
        <TeamPart part="SharedChats" />
        <SidebarFoot />
      </nav>
      {open && (
        <button
          type="button"
          className="sidebar-shade"
          tabIndex={-1}
          aria-label={t.sessions.hide}
          onClick={() => app.setSidebar(false)}
        />
      )}
    </>
  )
}

/** As a drawer, takes the focus when it opens and closes on Escape. Then focuses the button that opens it. */
function useDrawer(nav: RefObject<HTMLElement | null>, open: boolean): void {
  const { app } = useWorkspace()
  useEffect(() => {
    const { current } = nav
    if (!open || current === null || !isDrawer()) return
    if (!current.contains(document.activeElement)) current.focus()
    const onKey = (event: KeyboardEvent) => {
      const { target, key, defaultPrevented } = event
      const isHere = target === document.body || (target instanceof Node && current.contains(target))
      if (key !== 'Escape' || defaultPrevented || !isHere || !isDrawer()) return
      event.preventDefault()
      flushSync(() => app.setSidebar(false))
      document.querySelector<HTMLElement>('.header-sessions')?.focus()
    }
    document.addEventListener('keydown', onKey)
    return () => document.removeEventListener('keydown', onKey)
  }, [app, nav, open])
}

/** Matches the breakpoint in `sidebar.css`. */
function isDrawer(): boolean {
  return window.matchMedia('(max-width: 760px)').matches
}
