import { Plus, TriangleAlert } from 'lucide-react'
import { useState } from 'react'
import { useStore } from 'zustand'
import { toErrorInfo } from '../api/request.ts'
import { translateServerText } from '../texts/server-texts.ts'
import '../texts/show-late.ts'
import { t } from '../texts/t.ts'
import { Button } from '../ui/button.tsx'
import { VisibleText } from '../ui/elements.tsx'
import { Segments } from '../ui/segments.tsx'
import { TrustRow } from '../settings/section-parts.tsx'
import { useWorkspace } from '../workspace/workspace.ts'
import './mcp-section.css'
import { createMcpStore, type McpStore, usePollServers } from './mcp-store.ts'
import { type NewServer, type NewServerFields, readNewServers } from './read-new-server.ts'
import { ServerRow } from './server-row.tsx'

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
            <code>{path}</code>
            <br />
            <VisibleText text={translateServerText(message, 'text')} />
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
      <TrustRow onChanged={store.load} />
    </div>
  )
}

const kinds = ['program', 'address', 'json'] as const
const empty: NewServerFields = { kind: 'program', name: '', command: '', env: '', url: '', headers: '', json: '' }

/** Adds a user's MCP server. Adding it trusts it, so the form shows the exact command. */
function NewServerForm({ store }: { store: McpStore }) {
  const { api } = useWorkspace()
  const [typed, setTyped] = useState(empty)
  const [busy, setBusy] = useState(false)
  const [outcome, setOutcome] = useState<{ ok: boolean; text: string } | null>(null)
  const set = (change: Partial<NewServerFields>) => {
    setTyped({ ...typed, ...change })
    setOutcome(null)
  }
  const { servers, missing } = readForm(typed)
  const isBegun = [typed.command, typed.url, typed.json].some((text) => text.trim() !== '')

  const add = async () => {
    setBusy(true)
    try {
      for (const server of servers) await store.act(() => api.addMcp(server))
      setOutcome({ ok: true, text: t.mcp.added(servers.map(({ name }) => name).join(', ')) })
      setTyped({ ...empty, kind: typed.kind })
    } catch (error) {
      setOutcome({ ok: false, text: toErrorInfo(error).message })
    } finally {
      setBusy(false)
    }
  }

  return (
    <details className="settings-more mcp-new" data-setting="new">
      <summary>
        <Plus aria-hidden />
        {t.mcp.add}
      </summary>
      <form
        className="settings-row-body"
        aria-label={t.mcp.newServer}
        onSubmit={(event) => {
          event.preventDefault()
          if (servers.length > 0 && !busy) void add()
        }}
      >
        <Segments
          label={t.mcp.type}
          options={kinds.map((value) => ({ value, label: t.mcp.kinds[value] }))}
          value={typed.kind}
          onChange={(kind) => set({ kind })}
        />
        <Field
          label={typed.kind === 'json' ? t.mcp.nameWithoutJson : t.mcp.name}
          placeholder="files"
          value={typed.name}
          onChange={(name) => set({ name })}
        />
        {typed.kind === 'program' && (
          <>
            <Field
              label={t.mcp.command}
              placeholder="npx -y @modelcontextprotocol/server-filesystem /data"
              value={typed.command}
              onChange={(command) => set({ command })}
            />
            <Field label={t.mcp.environment} rows={2} value={typed.env} onChange={(env) => set({ env })} />
          </>
        )}
        {typed.kind === 'address' && (
          <>
            <Field
              label={t.mcp.address}
              placeholder="https://mcp.example/mcp"
              value={typed.url}
              onChange={(url) => set({ url })}
            />
            <Field label={t.mcp.headers} rows={2} value={typed.headers} onChange={(headers) => set({ headers })} />
          </>
        )}
        {typed.kind === 'json' && (
          <Field
            label={t.mcp.json}
            placeholder='{ "mcpServers": { "files": { "command": "npx", "args": ["-y", "…"] } } }'
            rows={6}
            value={typed.json}
            onChange={(json) => set({ json })}
          />
        )}
        {servers.map((server) => (
          <NewServerPreview key={server.name} server={server} />
        ))}
        {isBegun && missing !== null && <p className="settings-note">{missing}</p>}
        <div className="settings-row-buttons">
          <Button type="submit" kind="primary" disabled={servers.length === 0 || busy}>
            {servers.length > 1 ? t.mcp.addSeveral(servers.length) : t.mcp.addAndConnect}
          </Button>
        </div>
        <output className={outcome?.ok === false ? 'settings-failure' : 'settings-outcome'} aria-live="polite">
          {busy ? t.ui.oneMoment : outcome?.text}
        </output>
      </form>
    </details>
  )
}

function readForm(typed: NewServerFields): { servers: NewServer[]; missing: string | null } {
  try {
    return { servers: readNewServers(typed), missing: null }
  } catch (error) {
    return { servers: [], missing: (error as Error).message }
  }
}

function NewServerPreview({ server }: { server: NewServer }) {
  const { name, command, args = [], url } = server
  const words = command === undefined ? [url ?? ''] : [command, ...args]
  return (
    <p className="mcp-preview">
      <b>
        <VisibleText text={name} as="name" />
      </b>{' '}
      {command === undefined ? t.mcp.connectsTo : t.mcp.starts}{' '}
      {words.map((word, index) => (
        <span key={index}>
          {index > 0 && ' '}
          <code>{word === '' ? t.mcp.empty : <VisibleText text={String(word)} as="exact" />}</code>
        </span>
      ))}
    </p>
  )
}

function Field(props: {
  label: string
  value: string
  placeholder?: string
  rows?: number
  onChange: (value: string) => void
}) {
  const { label, value, placeholder, rows, onChange } = props
  const shared = { value, placeholder, autoComplete: 'off', autoCapitalize: 'off', spellCheck: false }
  return (
    <label>
      {label}
      {rows === undefined ? (
        <input {...shared} onChange={(event) => onChange(event.target.value)} />
      ) : (
        <textarea {...shared} rows={rows} onChange={(event) => onChange(event.target.value)} />
      )}
    </label>
  )
}
