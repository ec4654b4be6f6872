import { t } from '../texts/t.ts'
import { lazyDialog } from '../ui/lazy-dialog.tsx'

export const InboxDialog = lazyDialog(
  () => t.inbox.title,
  async () => (await import('./inbox-dialog.tsx')).InboxDialog,
)
