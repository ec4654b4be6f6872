import { TriangleAlert } from 'lucide-react'
import { useState } from 'react'
import { useStore } from 'zustand'
import { t } from '../texts/t.ts'
import { VisibleText } from '../ui/visible-text.tsx'
import { useWorkspace } from '../workspace.ts'
import { createMcpStore } from './mcp-store.ts'
import { NewServerForm } from './new-server-form.tsx'
import { ServerRow } from './server-row.tsx'
import { usePollServers } from './use-looking-at-servers.ts'
import './mcp-section.css'

/** The MCP servers of the person and of the project: how they are, what they offer, what of it is used and trusted. */
export function McpSection() {
  const { api } = useWorkspace()
  const [store] = useState(() => createMcpStore(api))
  const { list, failure, refusal } = useStore(store)
  usePollServers(store)

  return (
    <div className="mcp">
      <p className="settings-note">{t.mcp.note}</p>
      {[failure, refusal].map(
        (text, index) =>
          text !== null && (
            <p key={index} className="settings-failure" role="alert">
              {text}
            </p>
          ),
      )}
      {list?.problems.map(({ path, message }) => (
        <p key={`${path} ${message}`} className="settings-warning">
          <TriangleAlert aria-hidden />
          <span>
            <VisibleText text={message} /> <code>{path}</code>
          </span>
        </p>
      ))}
      {list === null && failure === null && <p className="settings-note">{t.ui.loading}</p>}
      {list?.servers.length === 0 && <p className="settings-none">{t.mcp.none}</p>}
      <ul className="settings-rows" aria-label={t.mcp.servers}>
        {list?.servers.map((server) => (
          <ServerRow key={server.name} server={server} store={store} />
        ))}
      </ul>
      <NewServerForm store={store} />
    </div>
  )
}
