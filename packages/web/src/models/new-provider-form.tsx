import { useState } from 'react'
import { t } from '../texts/t.ts'
import { Button } from '../ui/button.tsx'
import { useWorkspace } from '../workspace.ts'
import { readModelIds } from './read-model-ids.ts'
import { ProviderActionNote } from './provider-outcome.tsx'
import { useProviderActions } from './use-provider-actions.ts'

const empty = { name: '', address: '', key: '', models: '' }

/** A provider that is not in the list: anything that speaks OpenAI's chat completions. */
export function NewProviderForm({ onChanged }: { onChanged: () => Promise<unknown> }) {
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
        ...(key !== '' && { apiKey: key }),
        ...(models.length > 0 && { models }),
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
