import type { ChatSessionStore } from '../session-services.ts'
import { useMemo } from 'react'
import type { SubAgent } from '../../sub-agents/sub-agent.ts'
import { useSubAgents } from '../../sub-agents/use-sub-agents.ts'
import { useSessionStore } from '../session-context.ts'
import { isToolCall, readToolCall } from '../tool-call.ts'
import type { ToolCall } from '../tool-call.ts'
import { useChatState } from './use-chat-state.ts'

export interface ChatTools {
  /** Every call of the branch in sight, in its order, as cards get them. */
  toolParts: readonly (ToolCall & { messageId: string })[]
  /** The sub-agents of the session by their id: what they do, their newest line, and the way to all that they say. */
  subAgentStreams: ReadonlyMap<string, SubAgentStream>
}

export interface SubAgentStream extends SubAgent {
  /** Its conversation as a session: what a `SessionContext` takes. It is followed once it is opened. */
  conversation: () => ChatSessionStore
}

/** What tools and sub-agents do in the conversation around this component. */
export function useChatTools(): ChatTools {
  const { messages, run } = useChatState()
  const progress = run?.progress
  const { agents } = useSessionStore()
  const known = useSubAgents((state) => state.agents)
  const toolParts = useMemo(
    () =>
      messages.flatMap(({ id: messageId, parts, live, metadata }) =>
        parts.filter(isToolCall).map((part) => ({
          ...readToolCall(part, {
            progress: progress?.[part.toolCallId],
            live: live === true,
            latest: false,
            aborted: metadata?.aborted === true,
          }),
          messageId,
        })),
      ),
    [messages, progress],
  )
  const subAgentStreams = useMemo(
    () =>
      new Map(
        [...known].map(([agentId, agent]) => [agentId, { ...agent, conversation: () => agents.conversation(agentId) }]),
      ),
    [known, agents],
  )
  return useMemo(() => ({ toolParts, subAgentStreams }), [toolParts, subAgentStreams])
}
