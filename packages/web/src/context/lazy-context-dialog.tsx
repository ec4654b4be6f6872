import { t } from '../texts/t.ts'
import { lazyDialog } from '../ui/lazy-dialog.tsx'

export const ContextDialog = lazyDialog(
  () => t.context.title,
  async () => (await import('./context-dialog.tsx')).ContextDialog,
)
