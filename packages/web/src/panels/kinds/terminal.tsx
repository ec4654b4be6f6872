import { Square, SquareTerminal } from 'lucide-react'
import { useState } from 'react'
import { findDisplay } from '../../chat/display-registry.ts'
import { useSession } from '../../chat/session-context.ts'
import { textIn } from '../../displays/parts/read-fields.ts'
import { t } from '../../texts/t.ts'
import { Button } from '../../ui/button.tsx'
import { noticeError } from '../../ui/notices.tsx'
import { useWorkspace } from '../../workspace.ts'
import type { PanelProps } from '../panel.ts'
import { useBackgroundTask } from '../use-background-task.ts'

export { SquareTerminal as Icon }

/** A command in the background (`taskId`): what it prints, as it prints it. */
export default function TerminalPanel({ panel }: PanelProps) {
  const taskId = textIn(panel.data['taskId']) ?? panel.key
  const { task, text, isGone } = useBackgroundTask(taskId)
  if (task === undefined) return <p className="beside-none">{isGone ? t.panels.taskGone : t.panels.loading}</p>
  const isRunning = task.status === 'running' && !isGone
  const shown = findDisplay({
    kind: 'terminal',
    command: task.command,
    text,
    taskId,
    ...(!isRunning && {
      status: task.status,
      ...(task.exitCode !== null && { exitCode: task.exitCode }),
      ...(task.endedAt !== null && { durationMs: task.endedAt - task.startedAt }),
    }),
  })
  return (
    <>
      <header className="beside-head">
        <span className="beside-head-main" data-status={task.status}>
          {isGone ? t.panels.taskGone : t.panels.taskStatus[task.status]}
        </span>
        {isRunning && <StopButton taskId={taskId} />}
      </header>
      <div className="beside-body beside-display beside-terminal">
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
