import { Box, X } from 'lucide-react'
import { useCallback } from 'react'
import { useSessionStore } from '../chat/session/session-context.ts'
import { useServerData } from '../settings/section-parts.tsx'
import { openProjects } from '../state/panels.ts'
import { t } from '../texts/t.ts'
import { IconButton } from '../ui/button.tsx'
import { VisibleText } from '../ui/elements.tsx'
import { useApp, useWorkspace } from '../workspace/workspace.ts'
import './project-chip.css'

/** The project of a chat. A chat that has not begun can still leave it. */
export function ProjectChip({ id }: { id: string }) {
  const { api, app } = useWorkspace()
  const { panels } = useSessionStore()
  const chosen = useApp((state) => state.chosenProjects[state.sessionId])
  const isNew = useApp((state) => state.isNew)
  const listed = useServerData(useCallback(() => api.call('GET /ai/projects'), [api]))
  const name = (chosen?.id === id ? chosen : listed.value?.projects.find((one) => one.id === id))?.name
  if (name === undefined) return null
  return (
    <span className="project-chip">
      <button type="button" aria-label={t.folders.inProject(name)} onClick={() => openProjects(panels, id)}>
        <Box aria-hidden />
        <span>
          <VisibleText text={name} as="name" />
        </span>
      </button>
      {isNew && (
        <IconButton label={t.folders.leaveProject} onClick={() => app.chooseProject(null)}>
          <X />
        </IconButton>
      )}
    </span>
  )
}
