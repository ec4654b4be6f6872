import { wholeFolder } from '@troupe/protocol'
import { ArrowLeft, FolderTree, MessageSquarePlus, SquarePen, Trash2 } from 'lucide-react'
import { useCallback, useEffect, useState } from 'react'
import { useChanges } from '../changes/change-data.ts'
import { Failure } from '../changes/panel-parts.tsx'
import { useSessionStore } from '../chat/session/session-context.ts'
import { useFileTree } from '../files/files-panel.tsx'
import { TrustButton } from '../settings/trust-button.tsx'
import { notice, noticeError } from '../state/notices.tsx'
import { openFiles } from '../state/panels.ts'
import { t } from '../texts/t.ts'
import { Button } from '../ui/button.tsx'
import { ConfirmDialog } from '../ui/dialog.tsx'
import { VisibleText } from '../ui/elements.tsx'
import { useApp, useWorkspace, type Workspace } from '../workspace/workspace.ts'
import { ProjectTasks } from './project-tasks.tsx'

type Details = Awaited<ReturnType<typeof readProject>>

function readProject(api: Workspace['api'], id: string, signal: AbortSignal) {
  return api.call('GET /ai/projects/:id', { params: { id }, signal })
}

/** One project: what it brings, its tasks and its chats. */
export function ProjectView({ id, onBack }: { id: string; onBack: () => void }) {
  const { api } = useWorkspace()
  const { watch } = useFileTree()
  const read = useCallback((signal: AbortSignal) => readProject(api, id, signal), [api, id])
  const { value, failure, refresh } = useChanges(read)
  const file = value?.file
  useEffect(() => {
    if (file === undefined) return
    const name = file.slice(file.lastIndexOf('/') + 1)
    return watch.watch(file.slice(0, Math.max(0, file.lastIndexOf('/'))), (names) => {
      if (names === undefined || names.includes(name)) refresh()
    })
  }, [watch, file, refresh])
  return (
    <>
      <Button kind="quiet" className="project-back" onClick={onBack}>
        <ArrowLeft aria-hidden />
        {t.projects.back}
      </Button>
      {value === undefined ? (
        <Failure failure={failure} onRetry={() => refresh()} />
      ) : (
        <Shown details={value} refresh={refresh} onForgotten={onBack} />
      )}
    </>
  )
}

interface ShownProps {
  details: Details
  refresh: (value?: Details) => void
  onForgotten: () => void
}

function Shown({ details, refresh, onForgotten }: ShownProps) {
  const { project } = details
  const workspace = useWorkspace()
  const root = useApp((state) => state.workspacePath) ?? ''
  const { panels } = useSessionStore()
  const tree = useFileTree()
  const path = insideOf(root, project.path)
  const isWhole = project.id === wholeFolder
  const shownPath = isWhole ? project.path : path
  return (
    <>
      <header className="project-head">
        <h2>
          <VisibleText text={isWhole ? t.projects.whole : project.name} as="name" />
        </h2>
        <p>{shownPath !== project.name && <VisibleText text={shownPath} as="name" />}</p>
        <div className="project-actions">
          <Button kind="primary" onClick={() => startChat(workspace, project)}>
            <MessageSquarePlus aria-hidden />
            {t.projects.newChat}
          </Button>
          <Button
            onClick={() => {
              openFiles(panels)
              if (path !== '') void tree.reveal(path).then(() => tree.setExpanded(path, true))
            }}
          >
            <FolderTree aria-hidden />
            {t.projects.showFiles}
          </Button>
          {!isWhole && <ForgetButton project={project} onForgotten={onForgotten} />}
        </div>
      </header>
      <ProjectTasks
        details={details}
        refresh={refresh}
        onWork={(task) => startChat(workspace, project, t.projects.workOnPrompt(task))}
      />
      <Brings details={details} path={path} refresh={refresh} />
      {!isWhole && <Chats projectId={project.id} />}
    </>
  )
}

function ForgetButton({
  project: { id, name },
  onForgotten,
}: {
  project: Details['project']
  onForgotten: () => void
}) {
  const { api, app } = useWorkspace()
  const [isAsking, setAsking] = useState(false)
  const forget = async () => {
    try {
      await api.call('DELETE /ai/projects/:id', { params: { id } })
      notice(t.projects.forgotten(name))
      onForgotten()
      await app.refresh()
    } catch (error) {
      noticeError(error)
    }
  }
  return (
    <>
      <Button kind="quiet" onClick={() => setAsking(true)}>
        <Trash2 aria-hidden />
        {t.projects.forget}
      </Button>
      {isAsking && (
        <ConfirmDialog
          title={t.projects.forgetTitle(name)}
          confirm={t.projects.forget}
          onConfirm={() => void forget()}
          onClose={() => setAsking(false)}
        >
          <p>{t.projects.forgetText}</p>
        </ConfirmDialog>
      )}
    </>
  )
}

/** Starts a chat in a project. A text becomes its draft. */
function startChat({ app, session }: Workspace, project: Details['project'], draft?: string): void {
  app.newSession()
  const { sessionId, models } = app.getState()
  if (project.id !== wholeFolder) app.chooseProject({ id: project.id, name: project.name })
  const { model } = project
  if (model !== null && project.trusted && models.some(({ ref }) => ref === model))
    app.setState(({ chosenModels }) => ({ chosenModels: { ...chosenModels, [sessionId]: model } }))
  if (draft !== undefined) session(sessionId).setDraft(draft)
}

function Brings({ details, path, refresh }: { details: Details; path: string; refresh: () => void }) {
  const { project } = details
  const { api } = useWorkspace()
  const { panels } = useSessionStore()
  const facts = (['notes', 'skills', 'agents', 'mcpServers'] as const)
    .map((kind): [string, string] => [t.projects[kind], project[kind].join(', ')])
    .concat([
      [t.projects.rules, project.rules === 0 ? '' : String(project.rules)],
      [t.projects.model, project.model ?? ''],
    ])
    .filter(([, text]) => text !== '')
  const hasNotes = project.notes.includes('AGENTS.md')
  const editNotes = async () => {
    const file = path === '' ? 'AGENTS.md' : `${path}/AGENTS.md`
    try {
      if (!hasNotes) await api.call('POST /ai/files', { body: { path: file, kind: 'file' } })
      panels.open({ kind: 'file', key: file, title: 'AGENTS.md', data: { path: file } })
      refresh()
    } catch (error) {
      noticeError(error)
    }
  }
  return (
    <section className="project-part" aria-label={t.projects.brings}>
      <div className="project-part-head">
        <h3>{t.projects.brings}</h3>
        <Button kind="quiet" onClick={() => void editNotes()}>
          <SquarePen aria-hidden />
          {hasNotes ? t.projects.editNotes : t.projects.writeNotes}
        </Button>
      </div>
      {!project.trusted && (
        <div className="project-trust">
          <p>{t.projects.untrusted}</p>
          <TrustButton onTrusted={() => refresh()} />
        </div>
      )}
      {facts.length === 0 ? (
        <p className="project-note">{t.projects.bringsNothing}</p>
      ) : (
        <dl>
          {facts.map(([label, text]) => (
            <div key={label}>
              <dt>{label}</dt>
              <dd>
                <VisibleText text={text} as="name" />
              </dd>
            </div>
          ))}
        </dl>
      )}
    </section>
  )
}

const mostChats = 20

function Chats({ projectId }: { projectId: string }) {
  const { app } = useWorkspace()
  const sessions = useApp((state) => state.sessions)
  const own = sessions.filter((session) => session.projectId === projectId).slice(0, mostChats)
  return (
    <section className="project-part" aria-label={t.projects.chats}>
      <h3>{t.projects.chats}</h3>
      {own.length === 0 && <p className="project-note">{t.projects.noChats}</p>}
      <ul className="project-chats">
        {own.map(({ id, title }) => (
          <li key={id}>
            <button type="button" onClick={() => app.select(id)}>
              <VisibleText text={title === null || title === '' ? t.projects.untitled : title} as="name" />
            </button>
          </li>
        ))}
      </ul>
    </section>
  )
}

/** Path of a project, relative to its folder. */
export function insideOf(root: string, path: string): string {
  return path.startsWith(root) ? path.slice(root.length).replace(/^[/\\]+/, '') : path
}
