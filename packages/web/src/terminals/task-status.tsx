import type { WatchedState } from '@troupe/protocol'
import { Hand, Square, Undo2 } from 'lucide-react'
import { useState } from 'react'
import type { TaskInfo } from '../api/session-types.ts'
import { useSession } from '../chat/session/session-context.ts'
import { noticeError } from '../state/notices.tsx'
import { t } from '../texts/t.ts'
import { Button } from '../ui/button.tsx'
import { useWorkspace } from '../workspace/workspace.ts'
import type { Watch } from './terminal-socket.ts'

interface TaskStatusProps {
  task: TaskInfo
  state: WatchedState | undefined
  isGone: boolean
  watch: Watch | undefined
}

/** Status of an agent's command, with buttons to take it over, give it back and stop it. */
export function TaskStatus({ task, state, isGone, watch }: TaskStatusProps) {
  const { api } = useWorkspace()
  const sessionId = useSession((session) => session.sessionId)
  const [isStopping, setStopping] = useState(false)
  const isRunning = !isGone && (state?.running ?? task.status === 'running')
  const isHeld = state?.typing === true
  const stop = async () => {
    setStopping(true)
    await api.stopTask(sessionId, task.id).catch(noticeError)
    setStopping(false)
  }
  const command = task.command.split('\n')[0]?.slice(0, 80) ?? ''
  return (
    <>
      <span data-status={isRunning ? 'running' : task.status} className="terminal-status">
        {statusText()}
      </span>
      {state?.takeable === true && !isHeld && (
        <Button onClick={() => watch?.hold(true, t.terminals.tookOver(command, task.id))}>
          <Hand aria-hidden />
          {t.terminals.takeOver}
        </Button>
      )}
      {isHeld && (
        <Button onClick={() => watch?.hold(false, t.terminals.gaveBack(command, task.id))}>
          <Undo2 aria-hidden />
          {t.terminals.giveBack}
        </Button>
      )}
      {isRunning && (
        <Button disabled={isStopping} onClick={() => void stop()}>
          <Square aria-hidden />
          {t.panels.stopTask}
        </Button>
      )}
    </>
  )

  function statusText(): string {
    if (isRunning) return isHeld ? t.terminals.yours : t.terminals.agents
    const exitCode = state?.exitCode ?? task.exitCode
    return exitCode === null ? t.panels.taskStatus[task.status] : t.terminals.exited(exitCode)
  }
}
