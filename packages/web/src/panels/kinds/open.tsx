import { Bot, Boxes, File, FileDiff, Folder, FolderTree, GitBranch, Globe, Plus, SquareTerminal } from 'lucide-react'
import { type ComponentType, useEffect, useState } from 'react'
import { useStore } from 'zustand'
import type { PickItem } from '../../api/api.ts'
import { webAddress } from '../../api/read-fields.ts'
import type { TaskInfo } from '../../api/session-types.ts'
import { useSession, useSessionStore } from '../../chat/session/session-context.ts'
import { agentPanel } from '../../chat/session/sub-agents.ts'
import type { PanelProps } from '../../state/panels-state.ts'
import { openBranchMap, openChanges, openFiles, openProjects, openTerminal } from '../../state/panels.ts'
import { t } from '../../texts/t.ts'
import { Button } from '../../ui/button.tsx'
import { VisibleText } from '../../ui/elements.tsx'
import { focusOnMount } from '../../ui/focus.ts'
import { useWorkspace } from '../../workspace/workspace.ts'
import './open.css'

export { Plus as Icon }

interface Choice {
  key: string
  label: string
  note?: string
  Icon: ComponentType
  /** Replaces this panel with the chosen item. A folder only fills the field. */
  choose: () => void
}

/** Opens a file by name, a web page by URL, a running task or the branch map. */
export default function OpenPanel({ panel }: PanelProps) {
  const { panels, agents } = useSessionStore()
  const [text, setText] = useState('')
  const { files, more, showMore } = useFiles(text)
  const tasks = useTasks()
  const hasAgents = useStore(agents, (state) => state.agents.size > 0)
  const hasMessages = useSession((state) => state.messages.length > 0)
  const open = (show: () => void) => () => {
    show()
    panels.close(panel.id)
  }
  const choices = [...addressIn(text), ...(text === '' ? things() : []), ...files.flatMap(fileChoice)]

  return (
    <div className="side-panel-body open-panel">
      <form
        onSubmit={(event) => {
          event.preventDefault()
          choices[0]?.choose()
        }}
      >
        <input
          ref={focusOnMount}
          value={text}
          aria-label={t.panels.openWhat}
          placeholder={t.panels.openWhat}
          autoComplete="off"
          spellCheck={false}
          onChange={(event) => setText(event.target.value)}
        />
      </form>
      <ul aria-label={t.panels.toOpen}>
        {choices.map(({ key, label, note, Icon, choose: take }) => (
          <li key={key}>
            <button type="button" onClick={take}>
              <Icon aria-hidden />
              <span>
                <VisibleText text={label} as="name" />
              </span>
              {note !== undefined && <small>{note}</small>}
            </button>
          </li>
        ))}
      </ul>
      {more > 0 && (
        <p className="open-more">
          {t.panels.openMore(more)}
          {showMore !== undefined && <Button onClick={showMore}>{t.panels.showMore}</Button>}
        </p>
      )}
      {choices.length === 0 && <p className="open-none">{t.panels.openNothing}</p>}
    </div>
  )

  function addressIn(typed: string): Choice[] {
    const bare = /^(localhost|127(?:\.\d+){3}|[\w-]+(?:\.[\w-]+)+)(?::\d{1,5})?(?:[/?#]|$)/i.exec(typed.trim())
    const isFile = files.some(({ label }) => label === typed)
    const scheme = /^(?:localhost|127\..*)$/i.test(bare?.[1] ?? '') ? 'http' : 'https'
    const address =
      webAddress(typed.trim()) ?? (bare === null || isFile ? undefined : webAddress(`${scheme}://${typed.trim()}`))
    if (address === undefined) return []
    const { href, host } = address
    const show = () => panels.open({ kind: 'browser', key: href, title: host, data: { url: href } })
    return [{ key: href, label: href, note: t.panels.page, Icon: Globe, choose: open(show) }]
  }

  function fileChoice({ kind, label }: PickItem): Choice[] {
    if (kind === 'folder') return [{ key: label, label, Icon: Folder, choose: () => setText(label) }]
    if (kind !== 'file') return []
    const title = label.split('/').at(-1) ?? label
    const show = () => panels.open({ kind: 'file', key: label, title, data: { path: label } })
    return [{ key: label, label, Icon: File, choose: open(show) }]
  }

  function things(): Choice[] {
    const terminal = {
      key: 'terminal',
      label: t.panels.terminal,
      Icon: SquareTerminal,
      choose: open(() => openTerminal(panels)),
    }
    const running = tasks.map((task): Choice => {
      const show = () => panels.open({ kind: 'terminal', title: t.panels.terminal, data: { taskId: task.id } })
      const note = t.panels.taskStatus[task.status]
      return { key: `task ${task.id}`, label: task.command, note, Icon: SquareTerminal, choose: open(show) }
    })
    const tree = { key: 'files', label: t.panels.files, Icon: FolderTree, choose: open(() => openFiles(panels)) }
    const map = { key: 'branches', label: t.branches.title, Icon: GitBranch, choose: open(() => openBranchMap(panels)) }
    const changes = {
      key: 'changes',
      label: t.panels.changes,
      Icon: FileDiff,
      choose: open(() => openChanges(panels)),
    }
    const projects = {
      key: 'projects',
      label: t.folders.projectsMore,
      Icon: Boxes,
      choose: open(() => openProjects(panels)),
    }
    const team = {
      key: 'agents',
      label: t.subAgents.title,
      Icon: Bot,
      choose: open(() => panels.open(agentPanel(agents, null))),
    }
    return [tree, changes, terminal, projects, ...running, ...(hasAgents ? [team] : []), ...(hasMessages ? [map] : [])]
  }
}

const usual = 30
/** Maximum results per server response. */
const most = 1000

function useFiles(text: string): { files: PickItem[]; more: number; showMore: (() => void) | undefined } {
  const { api } = useWorkspace()
  const [found, setFound] = useState<{ files: PickItem[]; more: number }>({ files: [], more: 0 })
  const [wanted, setWanted] = useState({ text, count: usual })
  const count = wanted.text === text ? wanted.count : usual
  useEffect(() => {
    const asking = new AbortController()
    api.complete(`@${text.trim()}`, asking.signal, count).then(
      ({ items, more }) => setFound({ files: items.filter(({ kind }) => kind === 'file' || kind === 'folder'), more }),
      // A lost connection is reported elsewhere.
      () => undefined,
    )
    return () => asking.abort()
  }, [api, text, count])
  const showMore = () => setWanted({ text, count: Math.min(count * 10, most) })
  return { ...found, showMore: count < most ? showMore : undefined }
}

function useTasks(): TaskInfo[] {
  const { api } = useWorkspace()
  const sessionId = useSession((state) => state.sessionId)
  const [tasks, setTasks] = useState<TaskInfo[]>([])
  useEffect(() => {
    api.backgroundTasks(sessionId).then(
      (list) => setTasks(list.tasks),
      () => undefined,
    )
  }, [api, sessionId])
  return tasks
}
