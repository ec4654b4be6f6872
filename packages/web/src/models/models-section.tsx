import { useEffect, useState } from 'react'
import { useStore } from 'zustand'
import { t } from '../texts/t.ts'
import { useWorkspace } from '../workspace.ts'
import { NewProviderForm } from './new-provider-form.tsx'
import { createProvidersStore } from './providers-store.ts'
import { ProviderRow } from './provider-row.tsx'
import './models-section.css'

/** Who can serve models, what each of them lacks, and the place for keys. Keys go in and never come out. */
export function ModelsSection() {
  const { api, app } = useWorkspace()
  const [store] = useState(() => createProvidersStore(api))
  const { providers, failure } = useStore(store)
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
      <ul className="settings-rows" aria-label={t.models.providers}>
        {(providers ?? []).map((provider) => (
          <ProviderRow key={provider.id} provider={provider} onChanged={changed} />
        ))}
      </ul>
      <NewProviderForm onChanged={changed} />
    </div>
  )
}
