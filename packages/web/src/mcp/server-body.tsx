import { useState } from 'react'
import { toErrorInfo } from '../api/api-error.ts'
import type { McpInfo } from '../api/mcp-info.ts'
import { formatElements } from '../texts/sentence.tsx'
import { t } from '../texts/t.ts'
import { Button } from '../ui/button.tsx'
import { ConfirmDialog } from '../ui/confirm-dialog.tsx'
import { formatDuration } from '../ui/format.ts'
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
      if (!result.ok) return { ok: false, text: result.error ?? t.mcp.notReady }
      return { ok: true, text: t.mcp.works(tested.tools.length, formatDuration(result.ms)) }
    })

  return (
    <>
      {error !== null && trust === null && (
        <p className="settings-failure">
          <VisibleText text={error} />
          {retryAt !== null && state !== 'disabled' && (
            <> {formatElements(t.mcp.retry, { time: <Moment key={retryAt} time={retryAt} /> })}</>
          )}
        </p>
      )}
      {problems.map((problem) => (
        <p key={problem} className="settings-failure">
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
      <div className="settings-row-buttons">
        <Button disabled={busy || !enabled || trust?.what === 'command'} onClick={test}>
          {t.mcp.test}
        </Button>
        <Button disabled={busy} onClick={() => void store.change(name, { enabled: !enabled })}>
          {enabled ? t.mcp.switchOff : t.mcp.switchOn}
        </Button>
        {editable && (
          <Button kind="quiet" disabled={busy} onClick={() => setRemoving(true)}>
            {t.ui.remove}
          </Button>
        )}
      </div>
      <output className={outcome?.ok === false ? 'settings-failure' : 'settings-outcome'} aria-live="polite">
        {busy ? t.ui.oneMoment : outcome !== null && <VisibleText text={outcome.text} />}
      </output>
      {trust === null && server.tools.length > 0 && (
        <ToolPicker server={server} onPick={(useTools) => void store.change(name, { useTools })} />
      )}
      {(server.prompts.length > 0 || server.resources.length > 0) && (
        <p className="settings-note">{t.mcp.alsoOffers(server.prompts.length, server.resources.length)}</p>
      )}
      <ServerLog name={name} />
      {removing && (
        <ConfirmDialog
          title={t.mcp.removeTitle}
          confirm={t.ui.remove}
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
          <p>{t.mcp.removeText(name)}</p>
        </ConfirmDialog>
      )}
    </>
  )
}
