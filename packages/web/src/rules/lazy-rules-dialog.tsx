import { lazyDialog } from '../ui/lazy-dialog.tsx'

export const RulesDialog = lazyDialog('Permissions', async () => (await import('./rules-dialog.tsx')).RulesDialog)
