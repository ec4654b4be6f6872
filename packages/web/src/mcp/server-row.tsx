import { ChevronRight } from 'lucide-react'
import { useId, useRef, useState } from 'react'
import { toErrorInfo } from '../api/request.ts'
import type { McpInfo, McpToolInfo } from '../api/settings-types.ts'
import { formatDuration, formatNumber } from '../texts/format.ts'
import { translateServerText } from '../texts/server-texts.ts'
import { t } from '../texts/t.ts'
import { Button } from '../ui/button.tsx'
import { ConfirmDialog } from '../ui/dialog.tsx'
import { formatElements, Moment, VisibleText } from '../ui/elements.tsx'
import { useWorkspace } from '../workspace/workspace.ts'
import { EditServer } from './edit-server.tsx'
import type { McpStore } from './mcp-store.ts'
import { ServerFacts, ServerLog, ServerLogin, TrustBox } from './server-details.tsx'
import { needsUser, serverStatus } from './server-status.ts'

/** Server row with expandable details. Opens by itself if it needs the user. */
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
              <span className="mcp-origin">{t.mcp.fromProject}</span>
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
              // The pressed button is gone, so keep the row open to show the result.
              setChosen(true)
              head.current?.focus()
            }}
          />
        )}
      </div>
    </li>
  )
}

interface ServerBodyProps {
  server: McpInfo
  store: McpStore
  onTrusted: () => void
}

function ServerBody({ server, store, onTrusted }: ServerBodyProps) {
  const { api } = useWorkspace()
  const { name, enabled, editable, error, problems, retryAt, trust, state } = server
  const [busy, setBusy] = useState(false)
  const [outcome, setOutcome] = useState<{ ok: boolean; text: string } | null>(null)
  const [removing, setRemoving] = useState(false)
  const [editing, setEditing] = useState(false)

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
      if (!result.ok)
        return { ok: false, text: result.error == null ? t.mcp.notReady : translateServerText(result.error, 'text') }
      return { ok: true, text: t.mcp.works(tested.tools.length, formatDuration(result.ms)) }
    })

  return (
    <>
      {error !== null && trust === null && (
        <p className="settings-failure">
          <VisibleText text={translateServerText(error, 'text')} />
          {retryAt !== null && state !== 'disabled' && (
            <> {formatElements(t.mcp.retry, { time: <Moment key={retryAt} time={retryAt} /> })}</>
          )}
        </p>
      )}
      {problems.map((problem) => (
        <p key={problem} className="settings-failure">
          <VisibleText text={translateServerText(problem, 'text')} />
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
        {editable && !editing && (
          <Button kind="quiet" disabled={busy} onClick={() => setEditing(true)}>
            {t.explain.edit}
          </Button>
        )}
        {editable && (
          <Button kind="quiet" disabled={busy} onClick={() => setRemoving(true)}>
            {t.ui.remove}
          </Button>
        )}
      </div>
      <output className={outcome?.ok === false ? 'settings-failure' : 'settings-outcome'} aria-live="polite">
        {busy ? t.ui.oneMoment : outcome !== null && <VisibleText text={outcome.text} />}
      </output>
      {editing && <EditServer server={server} store={store} onClose={() => setEditing(false)} />}
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

const manyTools = 12
const shownAtOnce = 200

function ToolPicker({ server, onPick }: { server: McpInfo; onPick: (useTools: string[] | null) => void }) {
  const { name, tools } = server
  const [search, setSearch] = useState('')
  const words = search.trim().toLowerCase()
  const fitting = tools.filter((tool) => `${tool.name} ${tool.description}`.toLowerCase().includes(words))
  return (
    <section className="mcp-tools" aria-label={t.mcp.toolsOf(name)}>
      <header>
        <h3>{t.mcp.tools}</h3>
        {tools.length > manyTools && (
          <input
            type="search"
            aria-label={t.mcp.searchTools}
            placeholder={t.ui.search}
            value={search}
            onChange={(event) => setSearch(event.target.value)}
          />
        )}
        <Button kind="quiet" disabled={tools.every(({ enabled }) => enabled)} onClick={() => onPick(null)}>
          {t.mcp.all}
        </Button>
        <Button kind="quiet" disabled={!tools.some(({ enabled }) => enabled)} onClick={() => onPick([])}>
          {t.mcp.noTools}
        </Button>
      </header>
      <ul>
        {fitting.slice(0, shownAtOnce).map((tool) => (
          <li key={tool.name}>
            <label>
              <input
                type="checkbox"
                checked={tool.enabled}
                onChange={(event) => onPick(pickTool(tools, tool.name, event.target.checked))}
              />
              <span>
                <code title={tool.toolName}>
                  <VisibleText text={tool.name} as="name" />
                </code>{' '}
                {tool.readOnlyHint && <span className="mcp-hint">{t.mcp.onlyReads}</span>}
                <span className="mcp-tokens">{t.mcp.tokens(formatNumber(tool.tokens))}</span>{' '}
                <span className="mcp-description">
                  <VisibleText text={tool.description} />
                </span>
              </span>
            </label>
          </li>
        ))}
      </ul>
      {fitting.length > shownAtOnce && <p className="settings-note">{t.mcp.moreTools(fitting.length - shownAtOnce)}</p>}
    </section>
  )
}

/** Returns the enabled tools after a toggle. Null stands for all of them. */
export function pickTool(tools: readonly McpToolInfo[], name: string, enabled: boolean): string[] | null {
  const used = tools.filter((tool) => (tool.name === name ? enabled : tool.enabled))
  return used.length === tools.length ? null : used.map((tool) => tool.name)
}
