import { ChevronRight } from 'lucide-react'
import { useId, useRef, useState } from 'react'
import type { McpInfo } from '../api/mcp-info.ts'
import { t } from '../texts/t.ts'
import { VisibleText } from '../ui/visible-text.tsx'
import type { McpStore } from './mcp-store.ts'
import { ServerBody } from './server-body.tsx'
import { serverStatus, needsUser } from './server-status.ts'

/** A server in a line; everything else of it when it is opened. What needs the person is open by itself. */
export function ServerRow({ server, store }: { server: McpInfo; store: McpStore }) {
  const [chosen, setChosen] = useState<boolean | null>(null)
  const open = chosen ?? server.state === 'needs-trust'
  const bodyId = useId()
  const head = useRef<HTMLButtonElement>(null)
  const { name, state, origin } = server
  return (
    <li className="mcp-server" data-setting={`server-${name}`} data-state={needsUser(server) ? 'needs-trust' : state}>
      <button
        ref={head}
        type="button"
        className="settings-row-head"
        aria-expanded={open}
        aria-controls={bodyId}
        onClick={() => setChosen(!open)}
      >
        <span className="settings-dot" aria-hidden />
        <span className="settings-row-name">
          <VisibleText text={name} as="name" />
          {origin === 'project' && (
            <>
              {' '}
              <span className="mcp-origin">{t.mcp.ofProject}</span>
            </>
          )}
          <span className="visually-hidden">, </span>
        </span>
        <ChevronRight className="tool-chevron" aria-hidden />
        <span className="settings-row-status">
          <VisibleText text={serverStatus(server)} />
        </span>
      </button>
      <div id={bodyId} className="settings-row-body" hidden={!open}>
        {open && (
          <ServerBody
            server={server}
            store={store}
            onTrusted={() => {
              // The button that was pressed is gone, and what it brought is to be seen.
              setChosen(true)
              head.current?.focus()
            }}
          />
        )}
      </div>
    </li>
  )
}
