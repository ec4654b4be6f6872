import { useState } from 'react'
import { toErrorInfo } from '../api/api-error.ts'
import { t } from '../texts/t.ts'
import { Button } from '../ui/button.tsx'
import { Segments } from '../ui/segments.tsx'
import { VisibleText } from '../ui/visible-text.tsx'
import { useWorkspace } from '../workspace.ts'
import type { McpStore } from './mcp-store.ts'
import { readNewServers } from './read-new-server.ts'
import type { NewServer, NewServerFields } from './read-new-server.ts'

const kinds = ['program', 'address', 'json'] as const
const empty: NewServerFields = { kind: 'program', name: '', command: '', env: '', url: '', headers: '', json: '' }

/** A server of the person's own. To add it is to trust it, so it is shown as it will be started. */
export function NewServerForm({ store }: { store: McpStore }) {
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
      <summary>{t.mcp.add}</summary>
      <form
        className="settings-row-body"
        aria-label={t.mcp.newServer}
        onSubmit={(event) => {
          event.preventDefault()
          if (servers.length > 0 && !busy) void add()
        }}
      >
        <Segments
          label={t.mcp.whatItIs}
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
      {command === undefined ? t.mcp.speaksTo : t.mcp.starts}{' '}
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
