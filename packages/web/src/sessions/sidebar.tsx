import { PanelLeftClose, Search, SquarePen, X } from 'lucide-react'
import { lazy, Suspense, useEffect, useRef, useState } from 'react'
import { AgentsSettingsButton } from '../agents/agents-settings-button.tsx'
import { McpButton } from '../mcp/mcp-button.tsx'
import { RulesButton } from '../rules/rules-button.tsx'
import { SettingsButton } from '../settings/settings-button.tsx'
import { keyNames } from '../shortcuts/keys.ts'
import { t } from '../texts/t.ts'
import { IconButton } from '../ui/icon-button.tsx'
import { Logo } from '../ui/mark.tsx'
import { useApp, useWorkspace } from '../workspace.ts'
import { ListHead } from './list-head.tsx'
import { moveInList } from './move-in-list.ts'
import { SessionList } from './session-list.tsx'
import { useDrawer } from './use-drawer.ts'
import { WorkspaceName } from './workspace-name.tsx'
import './sidebar.css'

const SearchResults = lazy(() => import('./search-results.tsx').then((loaded) => ({ default: loaded.SearchResults })))
const BulkBar = lazy(() => import('./bulk-bar.tsx').then((loaded) => ({ default: loaded.BulkBar })))

const typingPause = 180

/** The sessions: new, all of them, those that match. Narrow screens show it as a drawer over the chat. */
export function Sidebar() {
  const { app } = useWorkspace()
  const open = useApp((state) => state.sidebar)
  const query = useApp((state) => state.search.query)
  const view = useApp((state) => state.view)
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
              // The next one closes the drawer.
              event.preventDefault()
              setTyped('')
            }}
          />
          {typed === '' ? (
            <kbd>{keyNames('Mod+Shift+F').join(' ')}</kbd>
          ) : (
            <IconButton label={t.sessions.clearSearch} onClick={() => setTyped('')}>
              <X />
            </IconButton>
          )}
        </search>
        {query.trim() === '' ? (
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
        <footer className="sidebar-foot">
          <WorkspaceName />
          <AgentsSettingsButton />
          <McpButton />
          <RulesButton />
          <SettingsButton />
        </footer>
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
