import { Bot } from 'lucide-react'
import { t } from '../texts/t.ts'
import { IconButton } from '../ui/icon-button.tsx'
import { useWorkspace } from '../workspace.ts'

/** The way to the agents that there are. */
export function AgentsSettingsButton() {
  const { app } = useWorkspace()
  return (
    <IconButton label={t.agents.title} aria-haspopup="dialog" onClick={() => app.openSettings('agents')}>
      <Bot />
    </IconButton>
  )
}
