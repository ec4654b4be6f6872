import { PanelRight } from 'lucide-react'
import { useMemo } from 'react'
import { useStore } from 'zustand'
import { keyNames } from '../shortcuts/keys.ts'
import { t } from '../texts/t.ts'
import { IconButton } from '../ui/icon-button.tsx'
import { useApp, useWorkspace } from '../workspace.ts'

/** Shows and puts away what stands beside the session in sight, where anything does. */
export function PanelsButton() {
  const workspace = useWorkspace()
  const sessionId = useApp((state) => state.sessionId)
  const { panels } = useMemo(() => workspace.session(sessionId), [workspace, sessionId])
  const count = useStore(panels, (state) => state.panels.length)
  const hidden = useStore(panels, (state) => state.hidden)
  if (count === 0) return null
  return (
    <IconButton
      className="panels-button"
      label={hidden ? t.panels.showAll(count) : t.panels.hideAll}
      aria-pressed={!hidden}
      shortcut={keyNames('Mod+.').join(' ')}
      onClick={panels.toggle}
    >
      <PanelRight />
    </IconButton>
  )
}
