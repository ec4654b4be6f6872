import { lazyDialog } from '../ui/lazy-dialog.tsx'

export const AgentsDialog = lazyDialog('Agents', async () => (await import('./agents-dialog.tsx')).AgentsDialog)
