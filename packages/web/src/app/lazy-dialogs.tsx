import { type ComponentType, lazy, Suspense, useRef } from 'react'
import { t } from '../texts/t.ts'
import { Button } from '../ui/button.tsx'
import { Dialog } from '../ui/dialog.tsx'
import { useWorkspace } from '../workspace/workspace.ts'

function lazyDialog(title: () => string, load: () => Promise<ComponentType>): ComponentType {
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

/** Shown when the server is unreachable or serves a newer page. */
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

export const ContextDialog = lazyDialog(
  () => t.context.title,
  async () => (await import('../context/context-dialog.tsx')).ContextDialog,
)

export const FolderDialog = lazyDialog(
  () => t.folders.open,
  async () => (await import('../folders/folder-dialog.tsx')).FolderDialog,
)

export const WorktreeDialog = lazyDialog(
  () => t.folders.worktrees,
  async () => (await import('../worktrees/worktree-dialog.tsx')).WorktreeDialog,
)

export const InboxDialog = lazyDialog(
  () => t.inbox.title,
  async () => (await import('../inbox/inbox-dialog.tsx')).InboxDialog,
)

export const PaletteDialog = lazyDialog(
  () => t.palette.title,
  async () => (await import('../palette/palette-dialog.tsx')).PaletteDialog,
)

export const ReviewDialog = lazyDialog(
  () => t.review.name,
  async () => (await import('../inbox/review-dialog.tsx')).ReviewDialog,
)

export const ImportDialog = lazyDialog(
  () => t.sessions.importTitle,
  async () => (await import('../sessions/import-dialog.tsx')).ImportDialog,
)

export const ShareDialog = lazyDialog(
  () => t.share.title,
  async () => (await import('../sharing/share-dialog.tsx')).ShareDialog,
)

export const SettingsDialog = lazyDialog(
  () => t.settings.title,
  async () => (await import('../settings/settings-dialog.tsx')).SettingsDialog,
)

export const ShortcutsDialog = lazyDialog(
  () => t.shortcuts.title,
  async () => (await import('../shortcuts/shortcuts-dialog.tsx')).ShortcutsDialog,
)
