import { useCallback, useEffect, useRef, useState } from 'react'
import { toErrorInfo } from '../api/api-error.ts'
import { sortProviders } from '../api/provider-info.ts'
import type { ProviderInfo } from '../api/provider-info.ts'
import { Button } from '../ui/button.tsx'
import { Dialog } from '../ui/dialog.tsx'
import { useWorkspace } from '../workspace.ts'
import { NewProviderForm } from './new-provider-form.tsx'
import { ProviderRow } from './provider-row.tsx'
import './models-dialog.css'

/** Who can serve models, what each of them lacks, and the place for keys. Keys go in and never come out. */
export function ModelsDialog() {
  const { api, app } = useWorkspace()
  const [providers, setProviders] = useState<ProviderInfo[] | null>(null)
  const [failure, setFailure] = useState<string | null>(null)
  const dialog = useRef<HTMLDialogElement>(null)

  const load = useCallback(async () => {
    try {
      setProviders(sortProviders((await api.providers()).providers))
      setFailure(null)
    } catch (error) {
      setFailure(toErrorInfo(error).message)
    }
  }, [api])
  useEffect(() => void load(), [load])
  const changed = useCallback(() => Promise.all([load(), app.refreshModels()]), [load, app])

  return (
    <Dialog ref={dialog} title="Models and keys" className="models" onClose={() => app.setModelsDialog(false)}>
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
