import { useState } from 'react'
import { toErrorInfo } from '../api/api-error.ts'
import type { McpInfo } from '../api/mcp-info.ts'
import { Button } from '../ui/button.tsx'
import { ConfirmDialog } from '../ui/confirm-dialog.tsx'
import { countOf, formatDuration } from '../ui/format.ts'
import { Moment } from '../ui/moment.tsx'
import { VisibleText } from '../ui/visible-text.tsx'
import { useWorkspace } from '../workspace.ts'
import type { McpStore } from './mcp-store.ts'
import { ServerFacts } from './server-facts.tsx'
import { ServerLog } from './server-log.tsx'
import { ServerLogin } from './server-login.tsx'
import { ToolPicker } from './tool-picker.tsx'
import { TrustBox } from './trust-box.tsx'

export interface ServerBodyProps {
  server: McpInfo
  store: McpStore
  onTrusted: () => void
}

export function ServerBody({ server, store, onTrusted }: ServerBodyProps) {
  const { api } = useWorkspace()
  const { name, enabled, editable, error, problems, retryAt, trust, state } = server
  const [busy, setBusy] = useState(false)
  const [outcome, setOutcome] = useState<{ ok: boolean; text: string } | null>(null)
  const [removing, setRemoving] = useState(false)

  const act = (action: () => Promise<{ ok: boolean; text: string } | null>) => {
    setBusy(true)
    setOutcome(null)
    void action()
      .catch((thrown: unknown) => ({ ok: false, text: toErrorInfo(thrown).message }))
      .then(setOutcome)
      .finally(() => setBusy(false))
  }
  const test = () =>
    act(async () => {
      const { test: result, server: tested } = await store.act(() => api.testMcp(name))
      if (!result.ok) return { ok: false, text: result.error ?? 'It is not ready.' }
      return { ok: true, text: `It works: ${countOf(tested.tools.length, 'tool')} after ${formatDuration(result.ms)}.` }
    })

  return (
    <>
      {error !== null && trust === null && (
        <p className="mcp-failure">
          <VisibleText text={error} />
          {retryAt !== null && state !== 'disabled' && (
            <>
              {' '}
              It is tried again at <Moment key={retryAt} time={retryAt} />.
            </>
          )}
        </p>
      )}
      {problems.map((problem) => (
        <p key={problem} className="mcp-failure">
          <VisibleText text={problem} />
        </p>
      ))}
      {trust !== null ? (
        <TrustBox
          key={trust.fingerprint}
          server={server}
          what={trust.what}
          busy={busy}
          onTrust={() =>
            act(async () => {
              onTrusted()
              await store.act(() => api.trustMcp(name, trust.fingerprint))
              return null
            })
          }
        />
      ) : (
        <ServerFacts server={server} />
      )}
      {enabled && <ServerLogin server={server} />}
      <div className="mcp-buttons">
        <Button disabled={busy || !enabled || trust?.what === 'command'} onClick={test}>
          Test
        </Button>
        <Button disabled={busy} onClick={() => void store.change(name, { enabled: !enabled })}>
          {enabled ? 'Switch off' : 'Switch on'}
        </Button>
        {editable && (
          <Button kind="quiet" disabled={busy} onClick={() => setRemoving(true)}>
            Remove
          </Button>
        )}
      </div>
      <output className={outcome?.ok === false ? 'mcp-failure' : 'mcp-outcome'} aria-live="polite">
        {busy ? 'One moment …' : outcome !== null && <VisibleText text={outcome.text} />}
      </output>
      {trust === null && server.tools.length > 0 && (
        <ToolPicker server={server} onPick={(useTools) => void store.change(name, { useTools })} />
      )}
      {(server.prompts.length > 0 || server.resources.length > 0) && (
        <p className="mcp-note">
          It also offers {countOf(server.prompts.length, 'prompt')} and {countOf(server.resources.length, 'resource')}.
        </p>
      )}
      <ServerLog name={name} />
      {removing && (
        <ConfirmDialog
          title="Remove this server?"
          confirm="Remove"
          onConfirm={() =>
            act(async () => {
              await store.act(async () => {
                await api.deleteMcp(name)
                return {}
              })
              return null
            })
          }
          onClose={() => setRemoving(false)}
        >
          <p>“{name}” is removed from your settings, with what you trusted and chose for it.</p>
        </ConfirmDialog>
      )}
    </>
  )
}
