import { ChevronRight } from 'lucide-react'
import { useId, useState } from 'react'
import { hasOwnAddress, lacksKey, providerStatus } from '../api/provider-info.ts'
import type { ProviderInfo } from '../api/provider-info.ts'
import { t } from '../texts/t.ts'
import { Button } from '../ui/button.tsx'
import { useWorkspace } from '../workspace.ts'
import { FamilyMark } from './family-mark.tsx'
import { ProviderOutcome } from './provider-outcome.tsx'
import { useProviderActions } from './use-provider-actions.ts'

/** One provider: how it stands, and below it the fields that change that. */
export function ProviderRow({ provider, onChanged }: { provider: ProviderInfo; onChanged: () => Promise<unknown> }) {
  const { api } = useWorkspace()
  const { id, name, usable, keySource, inSettings } = provider
  const [open, setOpen] = useState(false)
  const [key, setKey] = useState('')
  const [address, setAddress] = useState(provider.baseURL ?? '')
  const { busy, outcome, act, test } = useProviderActions(onChanged)
  const bodyId = useId()
  const ownAddress = hasOwnAddress(provider)
  const keepsModels = provider.models === 0 && !provider.local
  const typed = { key: key.trim(), address: address.trim() }
  const isChanged = typed.key !== '' || (ownAddress && typed.address !== (provider.baseURL ?? ''))

  const save = () =>
    act(t.models.saved, async () => {
      await api.changeProvider(id, {
        ...(typed.key !== '' && { apiKey: typed.key }),
        ...(ownAddress &&
          typed.address !== (provider.baseURL ?? '') && { baseURL: typed.address === '' ? null : typed.address }),
      })
      setKey('')
      return test(id, { keepsModels })
    })

  return (
    <li className="provider" data-setting={`provider-${id}`}>
      <button
        type="button"
        className="provider-head"
        aria-expanded={open}
        aria-controls={bodyId}
        onClick={() => setOpen(!open)}
      >
        <span className={usable ? 'provider-dot provider-usable' : 'provider-dot'} aria-hidden />
        <span className="provider-name">
          <FamilyMark family={provider.familyId ?? provider.id} />
          {name}
          <span className="visually-hidden">{usable ? t.models.ready : t.models.notReady}</span>
        </span>
        <ChevronRight className="tool-chevron" aria-hidden />
        <span className="provider-status">{providerStatus(provider)}</span>
      </button>
      <form
        id={bodyId}
        className="provider-body"
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
            placeholder={keySource === null ? t.models.pasteKey : t.models.replaceKey}
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
        {lacksKey(provider) && <p className="provider-status">{t.models.orSet(provider.env)}</p>}
        <div className="provider-buttons">
          <Button type="submit" kind="primary" disabled={!isChanged || busy}>
            {t.models.saveAndTest}
          </Button>
          <Button disabled={busy} onClick={() => act('', () => test(id, { keepsModels }))}>
            {t.models.test}
          </Button>
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
        <ProviderOutcome busy={busy} outcome={outcome} />
      </form>
    </li>
  )
}
