import { useEffect, useRef, useState } from 'react'
import { useStore } from 'zustand'
import { Button } from '../ui/button.tsx'
import { Dialog } from '../ui/dialog.tsx'
import { useWorkspace } from '../workspace.ts'
import { NewProviderForm } from './new-provider-form.tsx'
import { createProvidersStore } from './providers-store.ts'
import { ProviderRow } from './provider-row.tsx'
import './models-dialog.css'

/** Who can serve models, what each of them lacks, and the place for keys. Keys go in and never come out. */
export function ModelsDialog() {
  const { api, app } = useWorkspace()
  const [store] = useState(() => createProvidersStore(api))
  const { providers, failure } = useStore(store)
  const dialog = useRef<HTMLDialogElement>(null)
  useEffect(() => void store.load(), [store])
  const changed = () => Promise.all([store.load(), app.refreshModels()])

  return (
    <Dialog ref={dialog} title="Models and keys" className="models" onClose={() => app.setDialog(null)}>
      <p className="models-note">
        A key is kept in the settings on this machine, readable by you alone. This page can set or remove it, and never
        sees it again.
      </p>
      {failure !== null && (
        <p className="models-failure" role="alert">
          {failure}
        </p>
      )}
      {providers === null && failure === null && <p className="models-note">Loading …</p>}
      <ul className="providers" aria-label="Providers">
        {(providers ?? []).map((provider) => (
          <ProviderRow key={provider.id} provider={provider} onChanged={changed} />
        ))}
      </ul>
      <NewProviderForm onChanged={changed} />
      <div className="dialog-buttons">
        <Button kind="primary" onClick={() => dialog.current?.close()}>
          Done
        </Button>
      </div>
    </Dialog>
  )
}
