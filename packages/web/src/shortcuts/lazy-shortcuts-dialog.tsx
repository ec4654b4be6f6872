import { t } from '../texts/t.ts'
import { lazyDialog } from '../ui/lazy-dialog.tsx'

export const ShortcutsDialog = lazyDialog(
  () => t.shortcuts.title,
  async () => (await import('./shortcuts-dialog.tsx')).ShortcutsDialog,
)
