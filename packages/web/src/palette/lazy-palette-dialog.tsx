import { t } from '../texts/t.ts'
import { lazyDialog } from '../ui/lazy-dialog.tsx'

export const PaletteDialog = lazyDialog(
  () => t.palette.title,
  async () => (await import('./palette-dialog.tsx')).PaletteDialog,
)
