import { Settings } from 'lucide-react'
import { keyNames } from '../shortcuts/keys.ts'
import { t } from '../texts/t.ts'
import { IconButton } from '../ui/icon-button.tsx'
import { useWorkspace } from '../workspace.ts'

export function SettingsButton() {
  const { app } = useWorkspace()
  return (
    <IconButton
      label={t.settings.title}
      shortcut={keyNames('Mod+,').join(' ')}
      aria-haspopup="dialog"
      onClick={() => app.openSettings()}
    >
      <Settings />
    </IconButton>
  )
}
