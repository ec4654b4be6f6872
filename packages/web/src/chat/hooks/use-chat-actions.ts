import { useCallback, useMemo } from 'react'
import { notice, noticeError } from '../../state/notices.tsx'
import { t } from '../../texts/t.ts'
import { useWorkspace } from '../../workspace/workspace.ts'
import { useSession, useSessionStore } from '../session/session-context.ts'
import type { SessionActions } from '../session/session-types.ts'

interface ChatActions extends SessionChatActions {
  /** Forks the conversation up to a message into a new session and opens it. */
  fork: (messageId: string) => Promise<void>
}

/** Actions on the surrounding conversation. The functions stay the same for the same conversation. */
export function useChatActions(): ChatActions {
  const store = useSessionStore()
  const fork = useFork()
  return useMemo(() => ({ ...chatActions(store), fork }), [store, fork])
}

const names = [
  // Sending.
  'send',
  'enqueue',
  'dequeue',
  'sendQueued',
  'retryUnsent',
  'takeBackUnsent',
  'steer',
  'stop',
  'answer',
  'setDraft',
  'attach',
  'attachText',
  'detach',
  // Changing messages.
  'edit',
  'regenerate',
  'goOn',
  'remove',
  'keepOnly',
  'switchCompaction',
  // Navigating.
  'showBranch',
  'goTo',
  'loadOlder',
] as const

type SessionChatActions = Pick<SessionActions, (typeof names)[number]> & Pick<SessionActions['panels'], 'open'>

export function chatActions(store: SessionActions): SessionChatActions {
  const actions = Object.fromEntries(names.map((name) => [name, store[name]]))
  return { ...(actions as unknown as SessionChatActions), open: store.panels.open }
}

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
