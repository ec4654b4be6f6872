import type { CallOf, ProjectTask } from '@troupe/protocol'
import {
  Check,
  CircleDashed,
  CirclePlay,
  Ellipsis,
  FileText,
  MessageSquarePlus,
  Pencil,
  Plus,
  Trash2,
} from 'lucide-react'
import { useState } from 'react'
import { useSessionStore } from '../chat/session/session-context.ts'
import { noticeError } from '../state/notices.tsx'
import { t } from '../texts/t.ts'
import { Button, IconButton } from '../ui/button.tsx'
import { VisibleText } from '../ui/elements.tsx'
import { focusOnMount } from '../ui/focus.ts'
import { Menu } from '../ui/menu.tsx'
import { useWorkspace } from '../workspace/workspace.ts'

type Body = CallOf<'PATCH /ai/projects/:id/tasks'>['body']

interface TaskList {
  project: { id: string }
  tasks: ProjectTask[]
  problem?: string | undefined
  file: string
}

interface ProjectTasksProps<Details extends TaskList> {
  details: Details
  refresh: (value?: Details) => void
  /** Starts a chat that works on a task. */
  onWork: (task: string) => void
}

/** The tasks in TASKS.md. Agents and editors may change the same file at any time. */
export function ProjectTasks<Details extends TaskList>({ details, refresh, onWork }: ProjectTasksProps<Details>) {
  const { api } = useWorkspace()
  const { panels } = useSessionStore()
  const [added, setAdded] = useState('')
  const [editing, setEditing] = useState<number>()
  const { project, tasks, problem, file } = details
  const send = async (body: Body): Promise<boolean> => {
    try {
      const changed = await api.call('PATCH /ai/projects/:id/tasks', { params: { id: project.id }, body })
      refresh({ ...details, ...changed })
      return true
    } catch (error) {
      noticeError(error)
      refresh()
      return false
    }
  }
  const change = (task: ProjectTask, fields: { status?: ProjectTask['status']; text?: string; remove?: boolean }) =>
    send({ change: [{ number: task.number, was: task.text, ...fields }] })
  const done = tasks.filter(({ status }) => status === 'done').length
  return (
    <section className="project-part" aria-label={t.projects.tasks}>
      <div className="project-part-head">
        <h3>{t.projects.tasks}</h3>
        {tasks.length > 0 && <span>{t.projects.doneOf(done, tasks.length)}</span>}
        <IconButton
          label={t.projects.openFile}
          disabled={tasks.length === 0}
          onClick={() => panels.open({ kind: 'file', key: file, title: 'TASKS.md', data: { path: file } })}
        >
          <FileText />
        </IconButton>
      </div>
      <p className="project-note">{problem ?? t.projects.tasksAbout}</p>
      {tasks.length > 0 && (
        <ul className="project-tasks" aria-label={t.projects.tasks}>
          {tasks.map((task) => (
            <li key={`${task.number} ${task.text}`} data-status={task.status}>
              {editing === task.number ? (
                <EditTask
                  text={task.text}
                  onDone={(text) => {
                    setEditing(undefined)
                    if (text !== undefined && text !== task.text) void change(task, { text })
                  }}
                />
              ) : (
                <>
                  <label>
                    <input
                      type="checkbox"
                      checked={task.status === 'done'}
                      ref={(box) => {
                        if (box !== null) box.indeterminate = task.status === 'started'
                      }}
                      onChange={() => void change(task, { status: task.status === 'done' ? 'open' : 'done' })}
                    />
                    <span>
                      <VisibleText text={task.text} />
                    </span>
                    {task.status === 'started' && <small>{t.projects.started}</small>}
                  </label>
                  <Menu
                    align="end"
                    trigger={
                      <button type="button" className="icon-button" aria-label={t.projects.moreOf(task.text)}>
                        <Ellipsis />
                      </button>
                    }
                    items={[
                      {
                        label: t.projects.workOn,
                        icon: <MessageSquarePlus aria-hidden />,
                        onSelect: () => onWork(task.text),
                      },
                      ...statusItems(task, (status) => void change(task, { status })),
                      {
                        label: t.projects.editTask,
                        icon: <Pencil aria-hidden />,
                        startsGroup: true,
                        onSelect: () => setEditing(task.number),
                      },
                      {
                        label: t.projects.removeTask,
                        icon: <Trash2 aria-hidden />,
                        danger: true,
                        onSelect: () => void change(task, { remove: true }),
                      },
                    ]}
                  />
                </>
              )}
            </li>
          ))}
        </ul>
      )}
      {problem === undefined && (
        <form
          className="project-add-task"
          onSubmit={(event) => {
            event.preventDefault()
            const text = added.trim()
            if (text === '') return
            void send({ add: [text] }).then((isSent) => isSent && setAdded((now) => (now.trim() === text ? '' : now)))
          }}
        >
          <input
            type="text"
            dir="auto"
            maxLength={500}
            aria-label={t.projects.addTask}
            placeholder={t.projects.addTask}
            value={added}
            onChange={(event) => setAdded(event.target.value)}
          />
          <Button type="submit" disabled={added.trim() === ''}>
            <Plus aria-hidden />
            {t.projects.save}
          </Button>
        </form>
      )}
    </section>
  )
}

function statusItems({ status }: ProjectTask, set: (status: ProjectTask['status']) => void) {
  const all = [
    { to: 'open', label: t.projects.reopen, icon: <CircleDashed aria-hidden /> },
    { to: 'started', label: t.projects.start, icon: <CirclePlay aria-hidden /> },
    { to: 'done', label: t.projects.finish, icon: <Check aria-hidden /> },
  ] as const
  return all.filter(({ to }) => to !== status).map(({ to, ...item }) => ({ ...item, onSelect: () => set(to) }))
}

function EditTask({ text, onDone }: { text: string; onDone: (text: string | undefined) => void }) {
  const [typed, setTyped] = useState(text)
  const finish = () => onDone(typed.trim() === '' ? undefined : typed.trim())
  return (
    <input
      ref={focusOnMount}
      type="text"
      dir="auto"
      maxLength={500}
      aria-label={t.projects.editTask}
      value={typed}
      onChange={(event) => setTyped(event.target.value)}
      onBlur={finish}
      onKeyDown={(event) => {
        if (event.nativeEvent.isComposing) return
        if (event.key === 'Enter') finish()
        if (event.key === 'Escape') {
          event.stopPropagation()
          onDone(undefined)
        }
      }}
    />
  )
}
