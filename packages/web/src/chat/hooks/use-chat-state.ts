import type { ErrorInfo } from '@troupe/core/protocol'
import { useMemo } from 'react'
import { useSession } from '../session-context.ts'
import { visibleMessages } from '../session-state.ts'
import type { ActiveRun, VisibleMessage } from '../session-state.ts'
import { chatStatus } from './chat-status.ts'
import type { ChatStatus } from './chat-status.ts'

export interface ChatState {
  /** The branch in sight with the live answer in its place; `live` marks that one. */
  messages: readonly VisibleMessage[]
  status: ChatStatus
  /** The run that is on, with what only it knows: progress of calls, retries, what was said meanwhile. */
  run: ActiveRun | null
  /** Why the conversation could not be read. */
  error: ErrorInfo | null
  connection: 'open' | 'lost'
}

/** What is said in the conversation around this component, and what goes on in it. */
export function useChatState(): ChatState {
  const stored = useSession((state) => state.messages)
  const run = useSession((state) => state.run)
  const status = useSession(chatStatus)
  const error = useSession((state) => state.failure)
  const connection = useSession((state) => state.connection)
  const messages = useMemo(() => visibleMessages({ messages: stored, run }), [stored, run])
  return useMemo(() => ({ messages, status, run, error, connection }), [messages, status, run, error, connection])
}
