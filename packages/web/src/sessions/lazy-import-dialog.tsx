import { t } from '../texts/t.ts'
import { lazyDialog } from '../ui/lazy-dialog.tsx'

export const ImportDialog = lazyDialog(
  () => t.sessions.importTitle,
  async () => (await import('./import-dialog.tsx')).ImportDialog,
)
