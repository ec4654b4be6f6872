import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { App, replaceAddress } from './app/app.tsx'
import './base.css'
import './contrast.css'
import { readAddress } from './platform/address.ts'
import { trackInputMethod } from './platform/keyboard.ts'
import { preferredLanguage, showLanguage, useLanguage } from './texts/language.ts'
import './tokens.css'
import { createWorkspace, WorkspaceContext } from './workspace/workspace.ts'

/** Keeps the page's own files, and shows notifications. While it is being developed, nothing stands between it and its sources. */
function startServiceWorker(): void {
  if (!import.meta.env.PROD || !('serviceWorker' in navigator)) return
  // Not before the page has what it needs itself; and without it everything else works.
  window.addEventListener('load', () => {
    navigator.serviceWorker.register('/service-worker.js').catch(() => undefined)
  })
}

/** A page without its messages is shown rather than none. */
const maxWaitMs = 200

const { key, sessionId, settings, inbox } = readAddress(window.location.hash)
// The key works once; it must not stay in the address, the history or a bookmark. Nor is the inbox a place to come back to.
if (key !== null || inbox) replaceAddress(sessionId, settings)

const workspace = createWorkspace(sessionId)
if (settings !== null) workspace.app.openSettings(settings)
if (inbox) workspace.app.setDialog('inbox')
void workspace.app.start(key)
// Both were asked for before the scripts had come: the page shows at once with what is looked at.
const sessionRead = sessionId === null || key !== null ? undefined : workspace.session(sessionId).readAhead()
trackInputMethod()
startServiceWorker()
// The printed address may be put into a tab that is open already.
window.addEventListener('hashchange', () => {
  const named = readAddress(window.location.hash)
  if (named.key === null) return
  replaceAddress(named.sessionId, named.settings)
  void workspace.app.start(named.key)
})

const root = document.getElementById('root')
if (root === null) throw new Error('index.html has no #root')
const language = preferredLanguage()
// Without its texts the page still speaks English.
if (language !== 'en') await showLanguage(language).catch(() => undefined)
await Promise.race([sessionRead, new Promise((resolve) => setTimeout(resolve, maxWaitMs))])
createRoot(root).render(
  <StrictMode>
    <WorkspaceContext value={workspace}>
      <LocalizedApp />
    </WorkspaceContext>
  </StrictMode>,
)

/** Another language is another page: everything is shown anew. */
function LocalizedApp() {
  return <App key={useLanguage()} />
}
