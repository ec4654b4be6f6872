import { useCallback } from 'react'
import { t } from '../texts/t.ts'
import { notice, noticeError } from '../ui/notices.tsx'
import { useWorkspace } from '../workspace.ts'
import { useSession } from './session-context.ts'

/** Makes a session of its own of what was said up to a message, and shows it. */
export function useFork(): (messageId: string) => Promise<void> {
  const { api, app } = useWorkspace()
  const sessionId = useSession((state) => state.sessionId)
  return useCallback(
    async (messageId) => {
      try {
        const { session } = await api.forkSession(sessionId, messageId)
        await app.refresh()
        app.select(session.id)
        notice(t.chat.forked)
      } catch (error) {
        noticeError(error)
      }
    },
    [api, app, sessionId],
  )
}
