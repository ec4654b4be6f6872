import { Bot } from 'lucide-react'
import { IconButton } from '../ui/icon-button.tsx'
import { useWorkspace } from '../workspace.ts'

/** The way to the agents that there are. */
export function AgentsSettingsButton() {
  const { app } = useWorkspace()
  return (
    <IconButton label="Agents" aria-haspopup="dialog" onClick={() => app.setDialog('agents')}>
      <Bot />
    </IconButton>
  )
}
