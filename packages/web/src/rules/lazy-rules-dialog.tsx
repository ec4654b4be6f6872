import { lazy, Suspense, useRef } from 'react'
import { Button } from '../ui/button.tsx'
import { Dialog } from '../ui/dialog.tsx'
import { useWorkspace } from '../workspace.ts'

const Loaded = lazy(() =>
  import('./rules-dialog.tsx').then(
    ({ RulesDialog: Rules }) => ({ default: Rules }),
    () => ({ default: Unloaded }),
  ),
)

/** Few visits need it, so it comes when it is asked for. */
export function RulesDialog() {
  return (
    <Suspense fallback={null}>
      <Loaded />
    </Suspense>
  )
}

/** The server was away, or has a newer page. */
function Unloaded() {
  const { app } = useWorkspace()
  const dialog = useRef<HTMLDialogElement>(null)
  return (
    <Dialog ref={dialog} title="Permissions" onClose={() => app.setDialog(null)}>
      <p className="dialog-text">
        This part of the page could not be loaded. Reload the page once the server is there.
      </p>
      <div className="dialog-buttons">
        <Button onClick={() => dialog.current?.close()}>Close</Button>
        <Button kind="primary" onClick={() => window.location.reload()}>
          Reload
        </Button>
      </div>
    </Dialog>
  )
}
