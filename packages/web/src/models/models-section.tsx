import { useEffect, useState } from 'react'
import { useStore } from 'zustand'
import { createStore } from 'zustand/vanilla'
import type { Api } from '../api/api.ts'
import { type ProviderInfo, sortProviders } from '../api/providers.ts'
import { toErrorInfo } from '../api/request.ts'
import '../texts/show-late.ts'
import { t } from '../texts/t.ts'
import { Button } from '../ui/button.tsx'
import { useWorkspace } from '../workspace/workspace.ts'
import { ConnectKey } from './connect-key.tsx'
import './models-section.css'
import { ProviderActionNote, ProviderRow, readModelIds, useProviderActions } from './provider-row.tsx'

/** Lists providers with their status and key fields. Keys are write-only. */
export function ModelsSection() {
  const { api, app } = useWorkspace()
  const [store] = useState(() => createProvidersStore(api))
  const { providers, first, failure } = useStore(store)
  useEffect(() => void store.load(), [store])
  const changed = () => Promise.all([store.load(), app.refreshModels()])

  return (
    <div className="models">
      <p className="settings-note">{t.models.aboutKeys}</p>
      {failure !== null && (
        <p className="settings-failure" role="alert">
          {failure}
        </p>
      )}
      {providers === null && failure === null && <p className="settings-note">{t.ui.loading}</p>}
      {providers !== null && <ConnectKey providers={providers} onChanged={changed} />}
      {providerGroups(providers ?? [], first ?? []).map(({ title, members }) => (
        <section key={title} className="provider-group">
          <h3>{title}</h3>
          <ul className="settings-rows" aria-label={title}>
            {members.map((provider) => (
              <ProviderRow key={provider.id} provider={provider} onChanged={changed} />
            ))}
          </ul>
        </section>
      ))}
      <NewProviderForm onChanged={changed} />
    </div>
  )
}

/** Groups by the state in which the providers were first listed: a row does not move while someone works with it. */
function providerGroups(
  providers: readonly ProviderInfo[],
  first: readonly ProviderInfo[],
): { title: string; members: ProviderInfo[] }[] {
  const titles = t.models.groups
  // The form for a custom provider does the same.
  const listed = providers.filter(({ id, usable, inSettings }) => id !== 'custom' || usable || inSettings)
  const groups = Map.groupBy(listed, (provider) => {
    const { usable, local } = first.find(({ id }) => id === provider.id) ?? provider
    if (usable) return local ? titles.here : titles.connected
    if (local) return titles.notRunning
    return provider.popular ? titles.popular : titles.others
  })
  return [titles.here, titles.connected, titles.popular, titles.others, titles.notRunning].flatMap((title) => {
    const members = groups.get(title)
    return members === undefined ? [] : [{ title, members }]
  })
}

interface ProvidersState {
  providers: ProviderInfo[] | null
  /** As listed when the section was opened. */
  first: ProviderInfo[] | null
  failure: string | null
}

function createProvidersStore(api: Api) {
  const store = createStore<ProvidersState>(() => ({ providers: null, first: null, failure: null }))
  return { ...store, load }

  async function load(): Promise<void> {
    try {
      const { providers } = await api.providers()
      const sorted = sortProviders(providers)
      store.setState(({ first }) => ({ providers: sorted, first: first ?? sorted, failure: null }))
    } catch (error) {
      store.setState({ failure: toErrorInfo(error).message })
    }
  }
}

const empty = { name: '', address: '', key: '', models: '' }

/** Adds any provider with an OpenAI-compatible chat completions API. */
function NewProviderForm({ onChanged }: { onChanged: () => Promise<unknown> }) {
  const { api } = useWorkspace()
  const [typed, setTyped] = useState(empty)
  const { busy, outcome, act, test } = useProviderActions(onChanged)
  const set = (change: Partial<typeof empty>) => setTyped({ ...typed, ...change })
  const id = typed.name
    .trim()
    .toLowerCase()
    .replaceAll(/[^a-z0-9._-]+/g, '-')
    .replaceAll(/^[^a-z0-9]+|-+$/g, '')
    .slice(0, 64)
  const ready = id !== '' && URL.canParse(typed.address.trim())
  const models = readModelIds(typed.models)

  const add = () =>
    act(t.models.added, async () => {
      const key = typed.key.trim()
      await api.addProvider({
        id,
        type: 'openai-compatible',
        baseURL: typed.address.trim(),
        apiKey: key || undefined,
        models: models.length > 0 ? models : undefined,
      })
      setTyped(empty)
      return test(id, { keepsModels: models.length === 0 })
    })

  return (
    <details className="settings-more" data-setting="new">
      <summary>{t.models.another}</summary>
      <form
        className="settings-row-body"
        onSubmit={(event) => {
          event.preventDefault()
          if (ready && !busy) add()
        }}
      >
        <label>
          {t.models.name}
          <input
            value={typed.name}
            placeholder="acme"
            maxLength={64}
            autoComplete="off"
            spellCheck={false}
            onChange={(event) => set({ name: event.target.value })}
          />
        </label>
        <label>
          {t.models.baseUrl}
          <input
            type="url"
            value={typed.address}
            placeholder="https://models.example/v1"
            spellCheck={false}
            onChange={(event) => set({ address: event.target.value })}
          />
        </label>
        <label>
          {t.models.optionalKey}
          <input
            type="password"
            autoComplete="off"
            value={typed.key}
            onChange={(event) => set({ key: event.target.value })}
          />
        </label>
        <label>
          {t.models.onlyModels}
          <input
            value={typed.models}
            placeholder="large-1, small-1"
            autoComplete="off"
            spellCheck={false}
            onChange={(event) => set({ models: event.target.value })}
          />
        </label>
        <div className="settings-row-buttons">
          <Button type="submit" kind="primary" disabled={!ready || busy}>
            {t.models.addAndTest}
          </Button>
        </div>
        <ProviderActionNote busy={busy} outcome={outcome} />
      </form>
    </details>
  )
}
