import { PanelRight } from 'lucide-react'
import { useMemo } from 'react'
import { useStore } from 'zustand'
import { togglePanels } from './toggle-panels.ts'
import { keyNames } from '../shortcuts/keys.ts'
import { t } from '../texts/t.ts'
import { IconButton } from '../ui/icon-button.tsx'
import { useApp, useWorkspace } from '../workspace.ts'

/** Shows and puts away what stands beside the session in sight; where nothing does, it asks what is to stand there. */
export function PanelsButton() {
  const workspace = useWorkspace()
  const sessionId = useApp((state) => state.sessionId)
  const { panels } = useMemo(() => workspace.session(sessionId), [workspace, sessionId])
  const count = useStore(panels, (state) => state.panels.length)
  const hidden = useStore(panels, (state) => state.hidden)
  const isNew = useApp((state) => state.isNew)
  if (count === 0 && isNew) return null
  const toggling = hidden ? t.panels.showAll(count) : t.panels.hideAll
  return (
    <IconButton
      className="panels-button"
      label={count === 0 ? t.panels.open : toggling}
      aria-pressed={count > 0 && !hidden}
      shortcut={keyNames('Mod+.').join(' ')}
      onClick={() => togglePanels(panels)}
    >
      <PanelRight />
    </IconButton>
  )
}
