import { useEffect, useState } from 'react'
import { ApiError } from '../api/api-error.ts'
import type { TaskInfo } from '../api/page-info.ts'
import { useSession } from '../chat/session-context.ts'
import { useWorkspace } from '../workspace.ts'

export interface TaskView {
  task: TaskInfo | undefined
  text: string
  /** Nobody knows of it any more: commands do not outlive the server. */
  isGone: boolean
}

const waitMs = 15_000
const pauseMs = 2000
const mostCharacters = 400_000

/** A command in the background, and what it prints, for as long as it is looked at. */
export function useBackgroundTask(taskId: string): TaskView {
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
          // The first look does not wait: what is there is shown.
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
