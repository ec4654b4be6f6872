import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { readAddress, writeAddress } from './address.ts'
import { App } from './app.tsx'
import { startServiceWorker } from './offline/service-worker.ts'
import { preferredLanguage, showLanguage, useLanguage } from './texts/language.ts'
import { createWorkspace, WorkspaceContext } from './workspace.ts'
import './styles/tokens.css'
import './styles/contrast.css'
import './styles/base.css'

const { key, sessionId, settings } = readAddress(window.location.hash)
// The key works once; it must not stay in the address, the history or a bookmark.
if (key !== null) {
  const address = writeAddress(sessionId, settings)
  window.history.replaceState(null, '', address === '#' ? window.location.pathname : address)
}

const workspace = createWorkspace(sessionId)
if (settings !== null) workspace.app.openSettings(settings)
void workspace.app.start(key)
startServiceWorker()

const root = document.getElementById('root')
if (root === null) throw new Error('index.html has no #root')
const language = preferredLanguage()
// Without its texts the page still speaks English.
if (language !== 'en') await showLanguage(language).catch(() => undefined)
createRoot(root).render(
  <StrictMode>
    <WorkspaceContext value={workspace}>
      <InLanguage />
    </WorkspaceContext>
  </StrictMode>,
)

/** Another language is another page: everything is shown anew. */
function InLanguage() {
  return <App key={useLanguage()} />
}
