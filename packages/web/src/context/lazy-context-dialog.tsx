import { lazyDialog } from '../ui/lazy-dialog.tsx'

export const ContextDialog = lazyDialog(
  'Context X-ray',
  async () => (await import('./context-dialog.tsx')).ContextDialog,
)
