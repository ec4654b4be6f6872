import { Square, SquareTerminal } from 'lucide-react'
import { useEffect, useState } from 'react'
import { textIn } from '../../api/read-fields.ts'
import { ApiError } from '../../api/request.ts'
import type { TaskInfo } from '../../api/session-types.ts'
import { useSession } from '../../chat/session/session-context.ts'
import { findDisplay } from '../../displays/parts/display-registry.ts'
import { noticeError } from '../../state/notices.tsx'
import type { PanelProps } from '../../state/panels-state.ts'
import { t } from '../../texts/t.ts'
import { Button } from '../../ui/button.tsx'
import { useWorkspace } from '../../workspace/workspace.ts'

export { SquareTerminal as Icon }

/** Live output of a background command (`taskId`). */
export default function TerminalPanel({ panel }: PanelProps) {
  const taskId = textIn(panel.data['taskId']) ?? panel.key
  const { task, text, isGone } = useBackgroundTask(taskId)
  if (task === undefined) return <p className="side-panel-none">{isGone ? t.panels.taskGone : t.panels.loading}</p>
  const isRunning = task.status === 'running' && !isGone
  const shown = findDisplay({
    kind: 'terminal',
    command: task.command,
    text,
    taskId,
    ...(!isRunning && {
      status: task.status,
      exitCode: task.exitCode ?? undefined,
      durationMs: task.endedAt === null ? undefined : task.endedAt - task.startedAt,
    }),
  })
  return (
    <>
      <header className="side-panel-head">
        <span className="side-panel-head-main" data-status={task.status}>
          {isGone ? t.panels.taskGone : t.panels.taskStatus[task.status]}
        </span>
        {isRunning && <StopButton taskId={taskId} />}
      </header>
      <div className="side-panel-body side-panel-display side-panel-terminal">
        {shown !== undefined && <shown.Display content={shown.content} live={isRunning} />}
      </div>
    </>
  )
}

function StopButton({ taskId }: { taskId: string }) {
  const { api } = useWorkspace()
  const sessionId = useSession((state) => state.sessionId)
  const [busy, setBusy] = useState(false)
  const stop = async () => {
    setBusy(true)
    await api.stopTask(sessionId, taskId).catch(noticeError)
    setBusy(false)
  }
  return (
    <Button disabled={busy} onClick={() => void stop()}>
      <Square aria-hidden />
      {t.panels.stopTask}
    </Button>
  )
}

interface TaskView {
  task: TaskInfo | undefined
  text: string
  /** True if the server does not know the command. Commands do not survive the server. */
  isGone: boolean
}

const waitMs = 15_000
const pauseMs = 2000
const mostCharacters = 400_000

function useBackgroundTask(taskId: string): TaskView {
  const { api } = useWorkspace()
  const sessionId = useSession((state) => state.sessionId)
  const [view, setView] = useState<TaskView>({ task: undefined, text: '', isGone: false })
  useEffect(() => {
    const controller = new AbortController()
    const { signal } = controller
    const follow = async () => {
      let from = 0
      let text = ''
      while (!signal.aborted) {
        try {
          // The first request returns at once with the output so far.
          const wait = from === 0 && text === '' ? 0 : waitMs
          const news = await api.backgroundTask(sessionId, taskId, { from, wait }, signal)
          from = news.next
          text = (text + news.text).slice(-mostCharacters)
          setView({ task: news.task, text, isGone: false })
          if (news.task.status !== 'running') return
          if (wait === 0) await pause(100, signal)
        } catch (error) {
          if (signal.aborted) return
          if (error instanceof ApiError && error.status === 404)
            return setView((before) => ({ ...before, isGone: true }))
          await pause(pauseMs, signal)
        }
      }
    }
    void follow()
    return () => controller.abort()
  }, [api, sessionId, taskId])
  return view
}

function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, ms)
    signal.addEventListener('abort', () => {
      clearTimeout(timer)
      resolve()
    })
  })
}
