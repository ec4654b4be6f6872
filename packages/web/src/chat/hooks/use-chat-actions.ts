import { useMemo } from 'react'
import { useSessionStore } from '../session-context.ts'
import { useFork } from '../use-fork.ts'
import { chatActions, type SessionChatActions } from './chat-actions.ts'

export interface ChatActions extends SessionChatActions {
  /** Makes a session of its own of what was said up to a message, and shows it. */
  fork: (messageId: string) => Promise<void>
}

/** What can be done in the conversation around this component. The same functions as long as it is the same one. */
export function useChatActions(): ChatActions {
  const store = useSessionStore()
  const fork = useFork()
  return useMemo(() => ({ ...chatActions(store), fork }), [store, fork])
}
