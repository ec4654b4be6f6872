import { wholeFolder } from '@troupe/protocol'
import { Box, ChevronRight, Folder } from 'lucide-react'
import { useCallback } from 'react'
import { textIn } from '../api/read-fields.ts'
import { useChanges } from '../changes/change-data.ts'
import { Failure } from '../changes/panel-parts.tsx'
import { useSessionStore } from '../chat/session/session-context.ts'
import type { PanelProps } from '../state/panels-state.ts'
import '../texts/show-late.ts'
import { t } from '../texts/t.ts'
import { VisibleText } from '../ui/elements.tsx'
import { useApp, useWorkspace } from '../workspace/workspace.ts'
import { NewProject } from './new-project.tsx'
import { insideOf, ProjectView } from './project-view.tsx'
import './projects-panel.css'

/** The projects of the folder. `projectId` in the panel's data opens one. */
export function ProjectsPanel({ panel }: PanelProps) {
  const { panels } = useSessionStore()
  const opened = textIn(panel.data['projectId'])
  const show = (projectId: string | undefined) => panels.change(panel.id, { data: { projectId } })
  return (
    <div className="side-panel-body projects" tabIndex={-1}>
      {opened === undefined ? (
        <ProjectList onOpen={show} />
      ) : (
        <ProjectView key={opened} id={opened} onBack={() => show(undefined)} />
      )}
    </div>
  )
}

function ProjectList({ onOpen }: { onOpen: (id: string) => void }) {
  const { api } = useWorkspace()
  const root = useApp((state) => state.workspacePath) ?? ''
  const read = useCallback((signal: AbortSignal) => api.call('GET /ai/projects', { signal }), [api])
  const { value, failure, refresh } = useChanges(read)
  if (value === undefined) return <Failure failure={failure} onRetry={() => refresh()} />
  const inner = value.projects.toSorted((one, other) => (one.path < other.path ? -1 : 1))
  const rows = [
    { id: wholeFolder, name: t.projects.whole, path: '', Icon: Folder },
    ...inner.map((one) => ({ ...one, path: insideOf(root, one.path), Icon: Box })),
  ]
  return (
    <>
      <p className="projects-about">{t.projects.about}</p>
      <ul className="project-rows" aria-label={t.projects.list}>
        {rows.map(({ id, name, path, Icon }) => (
          <li key={id}>
            <button type="button" onClick={() => onOpen(id)}>
              <Icon aria-hidden />
              <span>
                <VisibleText text={name} as="name" />
                {path !== '' && (
                  <small>
                    <VisibleText text={path} as="name" />
                  </small>
                )}
              </span>
              <ChevronRight aria-hidden />
            </button>
          </li>
        ))}
      </ul>
      <NewProject
        onAdded={(id) => {
          refresh()
          onOpen(id)
        }}
      />
    </>
  )
}
