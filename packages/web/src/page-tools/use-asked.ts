import { useSession } from '../chat/session-context.ts'
import type { ToolCall } from '../chat/tool-call.ts'
import { useHasOpenAsk } from '../chat/use-waits.ts'
import { useApp } from '../workspace.ts'

/**
 * Whether a call waits for the person's click by now: the stream of its session says so, or the inbox, where that is not
 * followed. A call that waits for its turn has not asked yet, and nobody would hear an answer.
 */
export function useAwaitsClick(call: ToolCall): boolean {
  const waits = useHasOpenAsk(call)
  const sessionId = useSession((state) => state.sessionId)
  const isInInbox = useApp(({ asks }) =>
    asks.some((ask) => ask.sessionId === sessionId && ask.toolCallId === call.toolCallId),
  )
  return call.running && call.state !== 'input-streaming' && (waits || isInInbox)
}
