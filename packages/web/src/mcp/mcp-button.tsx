import { Plug } from 'lucide-react'
import { IconButton } from '../ui/icon-button.tsx'
import { useWorkspace } from '../workspace.ts'

export function McpButton() {
  const { app } = useWorkspace()
  return (
    <IconButton label="MCP servers" aria-haspopup="dialog" onClick={() => app.setDialog('mcp')}>
      <Plug />
    </IconButton>
  )
}
