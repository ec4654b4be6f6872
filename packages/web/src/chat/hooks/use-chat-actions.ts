import { useCallback, useMemo } from 'react'
import { notice, noticeError } from '../../state/notices.tsx'
import { t } from '../../texts/t.ts'
import { useWorkspace } from '../../workspace/workspace.ts'
import { useSession, useSessionStore } from '../session/session-context.ts'
import type { SessionActions } from '../session/session-types.ts'

interface ChatActions extends SessionChatActions {
  /** Makes a session of its own of what was said up to a message, and shows it. */
  fork: (messageId: string) => Promise<void>
}

/** What can be done in the conversation around this component. The same functions as long as it is the same one. */
export function useChatActions(): ChatActions {
  const store = useSessionStore()
  const fork = useFork()
  return useMemo(() => ({ ...chatActions(store), fork }), [store, fork])
}

const names = [
  // Saying something.
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
  // What can be done to messages.
  'edit',
  'regenerate',
  'goOn',
  'remove',
  'keepOnly',
  'switchCompaction',
  // Looking at them.
  'showBranch',
  'goTo',
  'loadOlder',
] as const

type SessionChatActions = Pick<SessionActions, (typeof names)[number]> & Pick<SessionActions['panels'], 'open'>

/** What a session offers to whoever extends the page. */
export function chatActions(store: SessionActions): SessionChatActions {
  const actions = Object.fromEntries(names.map((name) => [name, store[name]]))
  return { ...(actions as unknown as SessionChatActions), open: store.panels.open }
}

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
