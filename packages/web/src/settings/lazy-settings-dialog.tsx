import { t } from '../texts/t.ts'
import { lazyDialog } from '../ui/lazy-dialog.tsx'

export const SettingsDialog = lazyDialog(
  () => t.settings.title,
  async () => (await import('./settings-dialog.tsx')).SettingsDialog,
)
