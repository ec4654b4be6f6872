import { lazy, StrictMode, Suspense } from 'react'
import { createRoot } from 'react-dom/client'
import { pageAccess } from './api/page-access.ts'
import { App, replaceAddress } from './app/app.tsx'
import './base.css'
import './contrast.css'
import './fonts.css'
import { readAddress, readTeamLink } from './platform/address.ts'
import { loadAgentMenu } from './pickers/agent-picker.tsx'
import { loadModeMenu } from './pickers/mode-picker.tsx'
import { trackFocusKeys } from './platform/keyboard.ts'
import { startTeam } from './app/start-team.ts'
import { preferredLanguage, showLanguage, useLanguage } from './texts/language.ts'
import './tokens.css'
import { loadMenusOnUse } from './ui/menu.tsx'
import { useStore } from 'zustand'
import { createFolders } from './workspace/folders.ts'
import { WorkspaceContext } from './workspace/workspace.ts'

/** Caches the page's files and shows notifications. Disabled in development. */
function startServiceWorker(): void {
  if (!import.meta.env.PROD || !('serviceWorker' in navigator)) return
  // Register after the page has loaded. Everything works without it.
  window.addEventListener('load', () => {
    navigator.serviceWorker.register('/service-worker.js').catch(() => undefined)
  })
}

const TeamLinkPage = lazy(() => import('./team/link-page.tsx').then((loaded) => ({ default: loaded.LinkPage })))

/** Maximum wait for messages before the page renders without them. */
const maxWaitMs = 200

const teamLink = readTeamLink(window.location.hash)
// The value is a secret, so it must not stay in the URL, history or bookmarks.
if (teamLink !== null) window.history.replaceState(null, '', `#${teamLink.kind}`)
const { key, sessionId, folder, settings, inbox } = readAddress(window.location.hash)
// The key works once, so it must not stay in the URL, history or bookmarks. The inbox is not kept in the history
// either.
if (key !== null || inbox) replaceAddress({ sessionId, folder, settings })

const folders = createFolders({ folder, sessionId })
const workspace = folders.workspace()
if (settings !== null) workspace.app.openSettings(settings)
if (inbox) workspace.app.setDialog('inbox')
// A link may lead to a chat of another folder.
if (teamLink === null)
  void workspace.app.start(key).then(() => folders.refresh(folder === null ? (sessionId ?? undefined) : undefined))
if (pageAccess.isTeam() && teamLink === null) void startTeam()
// `public/early.js` requested both already, so the page renders with content at once.
const sessionRead = sessionId === null || key !== null ? undefined : workspace.session(sessionId).readAhead()
trackFocusKeys()
loadMenusOnUse(loadModeMenu, loadAgentMenu)
startServiceWorker()
// The user may open the printed URL in an existing tab.
window.addEventListener('hashchange', () => {
  // A link of team mode opens a page of its own.
  if (readTeamLink(window.location.hash) !== null) return window.location.reload()
  const named = readAddress(window.location.hash)
  if (named.key === null) return
  replaceAddress(named)
  folders.show(named.folder, named.sessionId)
  void folders.workspace().app.start(named.key)
})

const root = document.getElementById('root')
if (root === null) throw new Error('index.html has no #root')
const language = preferredLanguage()
// If loading fails, the page falls back to English.
if (language !== 'en') await showLanguage(language).catch(() => undefined)
await Promise.race([sessionRead, new Promise((resolve) => setTimeout(resolve, maxWaitMs))])
createRoot(root).render(
  <StrictMode>
    <LocalizedApp />
  </StrictMode>,
)

/** The page of a link of team mode, or else the app. */
function Page() {
  if (teamLink === null) return <App />
  return (
    <Suspense>
      <TeamLinkPage link={teamLink} />
    </Suspense>
  )
}

function LocalizedApp() {
  const current = useStore(folders, (state) => state.current)
  return (
    <WorkspaceContext value={folders.workspace(current)}>
      <Page key={`${useLanguage()} ${current}`} />
    </WorkspaceContext>
  )
}
