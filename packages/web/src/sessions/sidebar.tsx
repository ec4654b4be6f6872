import {
  Bot,
  Folder,
  PanelLeftClose,
  Plug,
  Search,
  Settings,
  ShieldAlert,
  ShieldCheck,
  SquarePen,
  X,
} from 'lucide-react'
import { Popover } from 'radix-ui'
import { lazy, type RefObject, Suspense, useEffect, useRef, useState } from 'react'
import { flushSync } from 'react-dom'
import { needsUser } from '../mcp/server-status.ts'
import { keyText } from '../platform/keyboard.ts'
import { t } from '../texts/t.ts'
import { IconButton } from '../ui/button.tsx'
import { formatElements, Logo, VisibleText } from '../ui/elements.tsx'
import { useApp, useWorkspace } from '../workspace/workspace.ts'
import { ListHead } from './list-head.tsx'
import './mcp-button.css'
import './rules-button.css'
import { moveInList, SessionList } from './session-list.tsx'
import './sidebar.css'
import './workspace-name.css'

const SearchResults = lazy(() => import('./search-results.tsx').then((loaded) => ({ default: loaded.SearchResults })))
const BulkBar = lazy(() => import('./bulk-bar.tsx').then((loaded) => ({ default: loaded.BulkBar })))

const typingPause = 180

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

function WorkspaceName() {
  const path = useApp((state) => state.workspacePath)
  if (path === null) return null
  const name = path.split(/[/\\]/).findLast((piece) => piece !== '') ?? path
  return (
    <Popover.Root>
      <Popover.Trigger className="workspace-name" title={path} aria-label={t.workspaceName.workingIn(path)}>
        <Folder aria-hidden />
        <span>
          <VisibleText text={name} as="name" />
        </span>
      </Popover.Trigger>
      <Popover.Portal>
        <Popover.Content
          className="workspace-about"
          side="top"
          align="start"
          sideOffset={6}
          collisionPadding={10}
          aria-label={t.workspaceName.title}
        >
          <p>{t.workspaceName.about}</p>
          <p className="workspace-path">
            <VisibleText text={path} as="name" />
          </p>
          <p>
            {formatElements(t.workspaceName.elsewhere, {
              troupe: <code>troupe serve --workspace folder</code>,
              npm: <code>npm start -- --workspace folder</code>,
            })}
          </p>
        </Popover.Content>
      </Popover.Portal>
    </Popover.Root>
  )
}

function SettingsButton() {
  const { app } = useWorkspace()
  return (
    <IconButton
      label={t.settings.title}
      shortcut={keyText('Mod+,')}
      aria-haspopup="dialog"
      onClick={() => app.openSettings()}
    >
      <Settings />
    </IconButton>
  )
}

function AgentsSettingsButton() {
  const { app } = useWorkspace()
  return (
    <IconButton label={t.agents.title} aria-haspopup="dialog" onClick={() => app.openSettings('agents')}>
      <Bot />
    </IconButton>
  )
}

/** Opens the MCP settings. Marked if a server needs the user. */
function McpButton() {
  const { app } = useWorkspace()
  const waiting = useServersNeedingUser()
  return (
    <IconButton
      className="mcp-button"
      label={waiting === 0 ? t.mcp.title : t.mcp.titleWaiting(waiting)}
      aria-haspopup="dialog"
      onClick={() => app.openSettings('mcp')}
    >
      <Plug />
      {waiting > 0 && <span className="mcp-waiting" aria-hidden />}
    </IconButton>
  )
}

function useServersNeedingUser(): number {
  const { api } = useWorkspace()
  const isLookedAt = useApp((state) => state.dialog === 'settings')
  const [count, setCount] = useState(0)
  useEffect(() => {
    if (isLookedAt) return
    const look = () => {
      api.mcp().then(
        ({ servers }) => setCount(servers.filter(needsUser).length),
        // The dialog reports errors.
        () => setCount(0),
      )
    }
    look()
    window.addEventListener('focus', look)
    return () => window.removeEventListener('focus', look)
  }, [api, isLookedAt])
  return count
}

/** Opens the rules. Marked if commands are not sandboxed. */
function RulesButton() {
  const { app } = useWorkspace()
  const unconfined = useApp((state) => state.permissions?.sandbox.available === false)
  return (
    <IconButton
      className={unconfined ? 'rules-button rules-button-bad' : 'rules-button'}
      label={unconfined ? t.rules.titleUnconfined : t.rules.title}
      aria-haspopup="dialog"
      onClick={() => app.openSettings('rules')}
    >
      {unconfined ? <ShieldAlert /> : <ShieldCheck />}
    </IconButton>
  )
}
