import { useMemo } from 'react'
import { useSessionStore } from '../session-context.ts'
import { chatActions, type ChatActions } from './chat-actions.ts'

export type { ChatActions } from './chat-actions.ts'

/** What can be done in the conversation around this component. The same functions as long as it is the same one. */
export function useChatActions(): ChatActions {
  const store = useSessionStore()
  return useMemo(() => chatActions(store), [store])
}
