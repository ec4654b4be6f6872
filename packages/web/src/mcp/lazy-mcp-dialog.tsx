import { lazyDialog } from '../ui/lazy-dialog.tsx'

export const McpDialog = lazyDialog('MCP servers', async () => (await import('./mcp-dialog.tsx')).McpDialog)
