import { lazy, Suspense, useRef } from 'react'
import type { ComponentType } from 'react'
import { t } from '../texts/t.ts'
import { useWorkspace } from '../workspace.ts'
import { Button } from './button.tsx'
import { Dialog } from './dialog.tsx'

/** A dialog that few visits need, so it comes when it is asked for. */
export function lazyDialog(title: () => string, load: () => Promise<ComponentType>): ComponentType {
  const Loaded = lazy(() =>
    load().then(
      (loaded) => ({ default: loaded }),
      () => ({ default: () => <DialogLoadError title={title()} /> }),
    ),
  )
  return function LazyDialog() {
    return (
      <Suspense fallback={null}>
        <Loaded />
      </Suspense>
    )
  }
}

/** The server was away, or has a newer page. */
function DialogLoadError({ title }: { title: string }) {
  const { app } = useWorkspace()
  const dialog = useRef<HTMLDialogElement>(null)
  return (
    <Dialog ref={dialog} title={title} onClose={() => app.setDialog(null)}>
      <p className="dialog-text">{t.ui.notLoaded}</p>
      <div className="dialog-buttons">
        <Button onClick={() => dialog.current?.close()}>{t.ui.close}</Button>
        <Button kind="primary" onClick={() => window.location.reload()}>
          {t.ui.reload}
        </Button>
      </div>
    </Dialog>
  )
}
