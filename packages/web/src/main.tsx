import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { readAddress } from './address.ts'
import { App } from './app.tsx'
import { preferredLanguage, showLanguage, useLanguage } from './texts/language.ts'
import { createWorkspace, WorkspaceContext } from './workspace.ts'
import './styles/tokens.css'
import './styles/base.css'

const { key, sessionId } = readAddress(window.location.hash)
// The key works once; it must not stay in the address, the history or a bookmark.
if (key !== null)
  window.history.replaceState(null, '', sessionId === null ? window.location.pathname : `#s=${sessionId}`)

const workspace = createWorkspace(sessionId)
void workspace.app.start(key)

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
