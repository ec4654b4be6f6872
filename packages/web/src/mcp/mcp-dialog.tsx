import { TriangleAlert } from 'lucide-react'
import { useRef, useState } from 'react'
import { useStore } from 'zustand'
import { Button } from '../ui/button.tsx'
import { Dialog } from '../ui/dialog.tsx'
import { VisibleText } from '../ui/visible-text.tsx'
import { useWorkspace } from '../workspace.ts'
import { createMcpStore } from './mcp-store.ts'
import { NewServerForm } from './new-server-form.tsx'
import { ServerRow } from './server-row.tsx'
import { useLookingAtServers } from './use-looking-at-servers.ts'
import './mcp-dialog.css'

/** The MCP servers of the person and of the project: how they are, what they offer, what of it is used and trusted. */
export function McpDialog() {
  const { api, app } = useWorkspace()
  const [store] = useState(() => createMcpStore(api))
  const { list, failure, refusal } = useStore(store)
  const dialog = useRef<HTMLDialogElement>(null)
  useLookingAtServers(store)

  return (
    <Dialog ref={dialog} title="MCP servers" className="mcp" onClose={() => app.setDialog(null)}>
      <p className="mcp-note">
        Programs and addresses that bring tools of their own. What a tool of theirs does is asked about like anything
        else. A server that is started otherwise, or lists other tools than you trusted, waits until you trust it again.
      </p>
      {[failure, refusal].map(
        (text, index) =>
          text !== null && (
            <p key={index} className="mcp-failure" role="alert">
              {text}
            </p>
          ),
      )}
      {list?.problems.map(({ path, message }) => (
        <p key={`${path} ${message}`} className="mcp-warning">
          <TriangleAlert aria-hidden />
          <span>
            <VisibleText text={message} /> <code>{path}</code>
          </span>
        </p>
      ))}
      {list === null && failure === null && <p className="mcp-note">Loading …</p>}
      {list?.servers.length === 0 && <p className="mcp-none">There are no servers yet.</p>}
      <ul className="mcp-servers" aria-label="Servers">
        {list?.servers.map((server) => (
          <ServerRow key={server.name} server={server} store={store} />
        ))}
      </ul>
      <NewServerForm store={store} />
      <div className="dialog-buttons">
        <Button kind="primary" onClick={() => dialog.current?.close()}>
          Done
        </Button>
      </div>
    </Dialog>
  )
}
