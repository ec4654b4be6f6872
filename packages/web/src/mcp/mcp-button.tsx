import { Plug } from 'lucide-react'
import { t } from '../texts/t.ts'
import { IconButton } from '../ui/icon-button.tsx'
import { useWorkspace } from '../workspace.ts'
import { useServersNeedingUser } from './use-servers-waiting.ts'
import './mcp-button.css'

/** The way to the MCP servers; it is marked where one waits for the person. */
export function McpButton() {
  const { app } = useWorkspace()
  const waiting = useServersNeedingUser()
  return (
    <IconButton
      className="mcp-button"
      label={waiting === 0 ? t.mcp.title : t.mcp.titleWaiting(waiting)}
      aria-haspopup="dialog"
      onClick={() => app.openSettings('mcp')}
    >
      <Plug />
      {waiting > 0 && <span className="mcp-waiting" aria-hidden />}
    </IconButton>
  )
}
