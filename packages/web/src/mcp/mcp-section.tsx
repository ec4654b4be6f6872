import { TriangleAlert } from 'lucide-react'
import { useState } from 'react'
import { useStore } from 'zustand'
import { toErrorInfo } from '../api/request.ts'
import type { McpEntry } from '../api/settings-types.ts'
import { translateServerText } from '../texts/server-texts.ts'
import { t } from '../texts/t.ts'
import { Button } from '../ui/button.tsx'
import { VisibleText } from '../ui/elements.tsx'
import { Segments } from '../ui/segments.tsx'
import { useWorkspace } from '../workspace/workspace.ts'
import './mcp-section.css'
import { createMcpStore, type McpStore, usePollServers } from './mcp-store.ts'
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
            <VisibleText text={translateServerText(message, 'text')} /> <code>{path}</code>
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

type NewServerKind = 'program' | 'address' | 'json'

export interface NewServerFields {
  kind: NewServerKind
  name: string
  command: string
  /** `NAME=value`, one per line. */
  env: string
  url: string
  /** `Name: value`, one per line. */
  headers: string
  json: string
}

interface NewServer extends McpEntry {
  name: string
}

/** Parses the form. Throws an error that names the missing field. */
export function readNewServers(fields: NewServerFields): NewServer[] {
  const { kind, command, url } = fields
  if (kind === 'json') return readJson(fields)
  const name = fields.name.trim()
  if (name === '') throw new Error(t.mcp.missing.name)
  if (kind === 'address') {
    if (!/^https?:\/\//i.test(url.trim()) || !URL.canParse(url.trim())) throw new Error(t.mcp.missing.address)
    const headers = readPairs(fields.headers, ':')
    return [{ name, url: url.trim(), ...(Object.keys(headers).length > 0 && { headers }) }]
  }
  const [program, ...args] = splitCommandLine(command)
  if (program === undefined) throw new Error(t.mcp.missing.command)
  const env = readPairs(fields.env, '=')
  return [{ name, command: program, ...(args.length > 0 && { args }), ...(Object.keys(env).length > 0 && { env }) }]
}

/** Splits a command line at blanks. Quotes and backslashes keep words together. No shell is involved. */
export function splitCommandLine(line: string): string[] {
  const words: string[] = []
  let word: string | undefined
  let quote: string | undefined
  for (let i = 0; i < line.length; i++) {
    const character = line[i] as string
    if (quote === undefined && /\s/.test(character)) {
      if (word !== undefined) words.push(word)
      word = undefined
    } else if (quote === undefined && (character === '"' || character === "'")) {
      quote = character
      word ??= ''
    } else if (character === quote) {
      quote = undefined
    } else if (character === '\\' && quote !== "'" && /[\s"'\\]/.test(line[i + 1] ?? '')) {
      word = (word ?? '') + (line[++i] as string)
    } else {
      word = (word ?? '') + character
    }
  }
  if (quote !== undefined) throw new Error(t.mcp.missing.quote(quote))
  if (word !== undefined) words.push(word)
  return words
}

function readPairs(text: string, sign: string): Record<string, string> {
  const lines = text.split('\n').filter((line) => line.trim() !== '')
  return Object.fromEntries(
    lines.map((line) => {
      const at = line.indexOf(sign)
      const name = line.slice(0, Math.max(at, 0)).trim()
      if (name === '') throw new Error(t.mcp.missing.pair(line.trim(), sign))
      return [name, line.slice(at + 1).trim()]
    }),
  )
}

/** Accepts the usual formats: `{"mcpServers": {…}}`, servers by name, or a single server. */
function readJson({ json, name }: NewServerFields): NewServer[] {
  if (json.trim() === '') throw new Error(t.mcp.missing.json)
  let value: unknown
  try {
    value = JSON.parse(json)
  } catch (error) {
    throw new Error(t.mcp.missing.noJson((error as Error).message), { cause: error })
  }
  if (!isObject(value)) throw new Error(t.mcp.missing.noObject)
  const held = value['mcpServers'] ?? value['servers'] ?? value
  if (!isObject(held)) throw new Error(t.mcp.missing.noServers)
  if (isEntry(held)) {
    if (name.trim() === '') throw new Error(t.mcp.missing.jsonName)
    return [{ ...held, name: name.trim() }]
  }
  const entries = Object.entries(held)
  if (entries.length === 0) throw new Error(t.mcp.missing.empty)
  return entries.map(([given, entry]) => {
    if (!isObject(entry) || !isEntry(entry)) throw new Error(t.mcp.missing.entry(given))
    return { ...entry, name: given }
  })
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function isEntry(value: Record<string, unknown>): boolean {
  return typeof value['command'] === 'string' || typeof value['url'] === 'string'
}
