import { isSameOrigin } from '@troupe/protocol'
import { ChevronRight } from 'lucide-react'
import { useId, useState } from 'react'
import {
  describeProviderTest,
  hasOwnAddress,
  lacksKey,
  type ProviderInfo,
  providerStatus,
  type ProviderTest,
} from '../api/providers.ts'
import { toErrorInfo } from '../api/request.ts'
import '../texts/show-late.ts'
import { t } from '../texts/t.ts'
import { Button } from '../ui/button.tsx'
import { useWorkspace } from '../workspace/workspace.ts'
import { FamilyMark, providerFamily } from './family-mark.tsx'

export function ProviderRow({ provider, onChanged }: { provider: ProviderInfo; onChanged: () => Promise<unknown> }) {
  const { api } = useWorkspace()
  const { id, name, usable, keySource, inSettings } = provider
  const [open, setOpen] = useState(false)
  const [key, setKey] = useState('')
  const [address, setAddress] = useState(provider.baseURL ?? '')
  /** Null shows the stored list. */
  const [edited, setEdited] = useState<string | null>(null)
  const { busy, outcome, act, test } = useProviderActions(onChanged)
  const bodyId = useId()
  const ownAddress = hasOwnAddress(provider)
  const listed = (provider.onlyModels ?? []).join('\n')
  const models = readModelIds(edited ?? listed)
  const typed = { key: key.trim(), address: address.trim(), models: models.join('\n') }
  const losesKey =
    keySource === 'settings' && typed.key === '' && ownAddress && !isSameOrigin(typed.address, provider.baseURL)
  const isListChanged = typed.models !== listed
  const isChanged = typed.key !== '' || isListChanged || (ownAddress && typed.address !== (provider.baseURL ?? ''))
  // A custom provider has only listed models. With an empty list, ask it for its models again.
  const isEmptied = isListChanged && models.length === 0 && ownAddress
  const keepsModels = !provider.local && (provider.models === 0 || isEmptied)

  const save = () =>
    act(t.models.saved, async () => {
      const { dropped } = await api.changeProvider(id, {
        apiKey: typed.key || undefined,
        models: isListChanged ? (models.length === 0 ? null : models) : undefined,
        baseURL: ownAddress && typed.address !== (provider.baseURL ?? '') ? typed.address || null : undefined,
      })
      setKey('')
      setEdited(null)
      if (dropped.length > 0) return { note: t.models.keyDropped }
      return provider.enabled ? test(id, { keepsModels }) : undefined
    })

  return (
    <li data-state={usable ? 'ready' : 'off'} data-setting={`provider-${id}`}>
      <button
        type="button"
        className="settings-row-head"
        aria-expanded={open}
        aria-controls={bodyId}
        onClick={() => setOpen(!open)}
      >
        <FamilyMark family={providerFamily(id)} name={name} />
        <span className="settings-row-name provider-name">
          {name}
          {usable && <span className="settings-dot" aria-hidden />}
          <span className="visually-hidden">{usable ? t.models.ready : t.models.notReady}</span>
        </span>
        <ChevronRight className="tool-chevron" aria-hidden />
        <span className="settings-row-status provider-status">{providerStatus(provider)}</span>
      </button>
      {lacksKey(provider) && provider.keyURL !== null && (
        <a className="provider-get-key" href={provider.keyURL} target="_blank" rel="noreferrer">
          {t.models.getKey}
        </a>
      )}
      <form
        id={bodyId}
        className="settings-row-body"
        hidden={!open}
        onSubmit={(event) => {
          event.preventDefault()
          if (isChanged && !busy) save()
        }}
      >
        <label>
          {t.models.key}
          <input
            type="password"
            autoComplete="off"
            aria-label={t.models.keyOf(name)}
            placeholder={keySource === null || losesKey ? t.models.pasteKey : t.models.replaceKey}
            value={key}
            onChange={(event) => setKey(event.target.value)}
          />
        </label>
        {ownAddress && (
          <label>
            {t.models.baseUrl}
            <input
              type="url"
              inputMode="url"
              spellCheck={false}
              aria-label={t.models.baseUrlOf(name)}
              placeholder="http://127.0.0.1:8000/v1"
              value={address}
              onChange={(event) => setAddress(event.target.value)}
            />
          </label>
        )}
        <label>
          {t.models.onlyModels}
          <textarea
            className="provider-models"
            rows={Math.min(Math.max((edited ?? listed).split('\n').length, 2), 8)}
            spellCheck={false}
            autoComplete="off"
            aria-label={t.models.onlyModelsOf(name)}
            placeholder={t.models.onePerLine}
            value={edited ?? listed}
            onChange={(event) => setEdited(event.target.value)}
          />
        </label>
        {losesKey && <p className="settings-row-status provider-status">{t.models.keyWillBeRemoved}</p>}
        {lacksKey(provider) && <p className="settings-row-status provider-status">{t.models.orSet(provider.env)}</p>}
        <div className="settings-row-buttons">
          {!provider.enabled && (
            <Button
              kind="primary"
              disabled={busy}
              onClick={() => act(t.models.switchedOn, () => api.changeProvider(id, { enabled: true }))}
            >
              {t.models.switchOn}
            </Button>
          )}
          <Button type="submit" kind={provider.enabled ? 'primary' : 'plain'} disabled={!isChanged || busy}>
            {provider.enabled ? t.models.saveAndTest : t.ui.save}
          </Button>
          {provider.enabled && (
            <>
              <Button disabled={busy} onClick={() => act('', () => test(id, { keepsModels }))}>
                {t.models.test}
              </Button>
              <Button
                kind="quiet"
                disabled={busy}
                onClick={() => act(t.models.switchedOff, () => api.changeProvider(id, { enabled: false }))}
              >
                {t.models.switchOff}
              </Button>
            </>
          )}
          {keySource === 'settings' && (
            <Button
              kind="quiet"
              disabled={busy}
              onClick={() => act(t.models.keyRemoved, () => api.changeProvider(id, { apiKey: null }))}
            >
              {t.models.removeKey}
            </Button>
          )}
          {inSettings && keySource !== 'settings' && (
            <Button kind="quiet" disabled={busy} onClick={() => act(t.models.removed, () => api.deleteProvider(id))}>
              {t.models.remove}
            </Button>
          )}
        </div>
        <ProviderActionNote busy={busy} outcome={outcome} />
      </form>
    </li>
  )
}

interface ProviderActionResult {
  ok: boolean
  text: string
}

/** Runs one action at a time. Reloads the lists afterwards, even on failure. */
export function useProviderActions(onChanged: () => Promise<unknown>) {
  const { api } = useWorkspace()
  const [busy, setBusy] = useState(false)
  const [outcome, setOutcome] = useState<ProviderActionResult | null>(null)
  return { busy, outcome, act, test }

  /** `done` is the message if the action returns none. */
  function act(done: string, action: () => Promise<unknown>): void {
    setBusy(true)
    setOutcome(null)
    void action()
      .then(
        (result) =>
          setOutcome(
            isTest(result)
              ? { ok: result.ok, text: describeProviderTest(result) }
              : { ok: true, text: resultNote(result) ?? done },
          ),
        (error: unknown) => setOutcome({ ok: false, text: toErrorInfo(error).message }),
      )
      .then(onChanged)
      .finally(() => setBusy(false))
  }

  /** Stores the models of a provider that lists them only on request, or they would be lost on restart. */
  async function test(id: string, { keepsModels = false } = {}): Promise<ProviderTest> {
    const { test: result } = await api.testProvider(id)
    const listed = result.ok ? (result.models ?? []).map((model) => model.id) : []
    if (keepsModels && listed.length > 0) await api.changeProvider(id, { models: listed.slice(0, 1000) })
    return result
  }
}

function resultNote(result: unknown): string | undefined {
  return typeof result === 'object' && result !== null && 'note' in result ? String(result.note) : undefined
}

function isTest(result: unknown): result is ProviderTest {
  return typeof result === 'object' && result !== null && 'ok' in result && 'elapsedMs' in result
}

export function ProviderActionNote({ busy, outcome }: { busy: boolean; outcome: ProviderActionResult | null }) {
  return (
    <output className={outcome?.ok === false ? 'settings-failure' : 'settings-outcome'} aria-live="polite">
      {busy ? t.ui.oneMoment : outcome?.text}
    </output>
  )
}

export function readModelIds(text: string): string[] {
  return [...new Set(text.split(/[\s,]+/).filter((id) => id !== ''))]
}
