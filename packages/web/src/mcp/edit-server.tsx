import { isSameOrigin } from '@troupe/protocol'
import { useState } from 'react'
import { toErrorInfo } from '../api/request.ts'
import type { McpInfo, McpPatch } from '../api/settings-types.ts'
import { t } from '../texts/t.ts'
import { Button } from '../ui/button.tsx'
import { useWorkspace } from '../workspace/workspace.ts'
import type { McpStore } from './mcp-store.ts'
import { joinCommandLine, readPairs, splitCommandLine } from './read-new-server.ts'

interface EditServerProps {
  server: McpInfo
  store: McpStore
  onClose: () => void
}

/** Edits the connection of a server in its file. Values of variables and headers are write-only: empty keeps them. */
export function EditServer({ server, store, onClose }: EditServerProps) {
  const { api } = useWorkspace()
  const isProgram = server.command !== null
  const [line, setLine] = useState(() => joinCommandLine([server.command ?? '', ...server.args]))
  const [cwd, setCwd] = useState(server.cwd ?? '')
  const [url, setUrl] = useState(server.url ?? '')
  const [pairs, setPairs] = useState('')
  const [seconds, setSeconds] = useState(server.timeout === null ? '' : String(server.timeout / 1000))
  // The list is read again and again. The edit is based on what was shown when it began.
  const [version] = useState(server.version)
  const [failure, setFailure] = useState('')
  const [busy, setBusy] = useState(false)
  const losesHeaders =
    !isProgram && server.headers.length > 0 && pairs.trim() === '' && !isSameOrigin(server.url ?? undefined, url.trim())
  const save = async () => {
    setBusy(true)
    try {
      const patch = isProgram ? programPatch(line, cwd, pairs) : addressPatch(url, pairs)
      const timeout = seconds.trim() === '' ? null : Math.round(Number(seconds) * 1000)
      await store.act(() => api.changeMcp(server.name, { ...patch, timeout, version }))
      onClose()
    } catch (error) {
      setFailure(toErrorInfo(error).message)
    } finally {
      setBusy(false)
    }
  }
  const kept = (names: readonly string[]) => (names.length === 0 ? undefined : t.serverEditor.kept(names.join(', ')))
  return (
    <form
      className="settings-row-body"
      aria-label={t.serverEditor.edit(server.name)}
      onSubmit={(event) => {
        event.preventDefault()
        if (!busy) void save()
      }}
    >
      {isProgram ? (
        <>
          <label>
            {t.mcp.command}
            <textarea rows={2} spellCheck={false} value={line} onChange={({ target }) => setLine(target.value)} />
          </label>
          <label>
            {t.serverEditor.folder}
            <input
              spellCheck={false}
              placeholder={t.mcp.theWorkspace}
              value={cwd}
              onChange={({ target }) => setCwd(target.value)}
            />
          </label>
        </>
      ) : (
        <label>
          {t.mcp.address}
          <input spellCheck={false} value={url} onChange={({ target }) => setUrl(target.value)} />
        </label>
      )}
      <label>
        {isProgram ? t.mcp.environment : t.mcp.headers}
        <textarea
          rows={2}
          spellCheck={false}
          placeholder={kept(isProgram ? server.env : server.headers)}
          value={pairs}
          onChange={({ target }) => setPairs(target.value)}
        />
      </label>
      <label>
        {t.serverEditor.seconds}
        <input
          type="number"
          inputMode="decimal"
          min={1}
          step="any"
          placeholder="120"
          value={seconds}
          onChange={({ target }) => setSeconds(target.value)}
        />
      </label>
      {server.origin === 'project' && <p className="settings-note">{t.serverEditor.inProject}</p>}
      {losesHeaders && <p className="settings-note">{t.serverEditor.losesHeaders}</p>}
      <p className="settings-failure" role="alert">
        {failure}
      </p>
      <div className="settings-row-buttons">
        <Button type="submit" kind="primary" disabled={busy}>
          {t.serverEditor.save}
        </Button>
        <Button kind="quiet" onClick={onClose}>
          {t.ui.cancel}
        </Button>
      </div>
    </form>
  )
}

function programPatch(line: string, cwd: string, env: string): McpPatch {
  const [command, ...args] = splitCommandLine(line)
  if (command === undefined) throw new Error(t.mcp.missing.command)
  const patch: McpPatch = { command, args, cwd: cwd.trim() === '' ? null : cwd.trim() }
  return env.trim() === '' ? patch : { ...patch, env: readPairs(env, '=') }
}

function addressPatch(url: string, headers: string): McpPatch {
  if (!/^https?:\/\//i.test(url.trim()) || !URL.canParse(url.trim())) throw new Error(t.mcp.missing.address)
  const patch: McpPatch = { url: url.trim() }
  return headers.trim() === '' ? patch : { ...patch, headers: readPairs(headers, ':') }
}
