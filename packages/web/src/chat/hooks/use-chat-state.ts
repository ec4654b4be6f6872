import type { SiblingPlace } from '@troupe/core'
import type { ErrorInfo } from '@troupe/protocol'
import { useMemo } from 'react'
import type { ListedSession } from '../../api/api.ts'
import { findSession } from '../../workspace/app-state.ts'
import { useApp } from '../../workspace/workspace.ts'
import { isToolCall, readToolCall, type ToolCall } from '../session/message-parts.ts'
import { useSession, useSessionStore } from '../session/session-context.ts'
import { useSubAgents } from '../session/session-hooks.ts'
import {
  type ActiveRun,
  chatStatus,
  type ChatStatus,
  type VisibleMessage,
  visibleMessages,
} from '../session/session-state.ts'
import type { ChatSessionStore } from '../session/session-types.ts'
import type { SubAgent } from '../session/sub-agent.ts'

interface ChatState {
  /** Messages of the current branch, including the live answer, which has `live` set. */
  messages: readonly VisibleMessage[]
  status: ChatStatus
  /** Active run with its transient state: call progress, retries and steering messages. */
  run: ActiveRun | null
  error: ErrorInfo | null
  connection: 'open' | 'lost'
}

/** Messages and run state of the surrounding conversation. */
export function useChatState(): ChatState {
  const stored = useSession((state) => state.messages)
  const run = useSession((state) => state.run)
  const status = useSession(chatStatus)
  const error = useSession((state) => state.failure)
  const connection = useSession((state) => state.connection)
  const messages = useMemo(() => visibleMessages({ messages: stored, run }), [stored, run])
  return useMemo(() => ({ messages, status, run, error, connection }), [messages, status, run, error, connection])
}

interface ChatSessionView {
  sessionId: string
  /** Sub-agent of this conversation. Null for the session itself. */
  agentId: string | null
  /** Title, model, mode and so on. Undefined until loaded. */
  session: ListedSession | undefined
  branch: {
    leafMessageId: string | null
    /** True if older messages of the branch are not loaded yet. */
    hasOlder: boolean
  }
  siblingNav: SiblingNav
}

interface SiblingNav {
  /** Messages of the current branch in order, with their positions among siblings. */
  places: readonly MessagePlace[]
  /** Position of a message among its siblings, 1-based. Undefined if unknown. */
  placeOf: (messageId: string) => SiblingPlace | undefined
  /** Shows the branch through the previous sibling. False if there is none. */
  previous: (messageId: string) => boolean
  next: (messageId: string) => boolean
}

/** Session and current branch of this component. */
export function useChatSession(): ChatSessionView {
  const { showBranch } = useSessionStore()
  const sessionId = useSession((state) => state.sessionId)
  const agentId = useSession((state) => state.agentId)
  const siblings = useSession((state) => state.siblings)
  const hasOlder = useSession((state) => state.older.hasMore)
  const messages = useSession((state) => state.messages)
  const leafMessageId = messages.at(-1)?.id ?? null
  const session = useApp((state) => findSession(state, sessionId))
  const siblingNav = useMemo(() => {
    const go = (to: string | null | undefined): boolean => {
      if (to == null) return false
      void showBranch(to)
      return true
    }
    return {
      places: messagePlaces(messages, siblings),
      placeOf: (messageId: string) => siblings[messageId],
      previous: (messageId: string) => go(siblings[messageId]?.prev),
      next: (messageId: string) => go(siblings[messageId]?.next),
    }
  }, [messages, siblings, showBranch])
  return useMemo(
    () => ({ sessionId, agentId, session, branch: { leafMessageId, hasOlder }, siblingNav }),
    [sessionId, agentId, session, leafMessageId, hasOlder, siblingNav],
  )
}

interface ChatTools {
  /** Tool calls of the current branch in order, as cards receive them. */
  toolParts: readonly (ToolCall & { messageId: string })[]
  /** Sub-agents of the session by ID, with their activity and latest line. */
  subAgentStreams: ReadonlyMap<string, SubAgentStream>
}

interface SubAgentStream extends SubAgent {
  /** Sub-agent's conversation as a session store for a `SessionContext`. It is followed once opened. */
  conversation: () => ChatSessionStore
}

/** Tool calls and sub-agents of the surrounding conversation. */
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

/** 1-based position among siblings. `prev` and `next` are their IDs, or null. */
interface MessagePlace extends SiblingPlace {
  messageId: string
}

/** In message order. Leaves out messages that the server has not stored yet. */
export function messagePlaces(
  messages: readonly { id: string }[],
  siblings: Readonly<Record<string, SiblingPlace>>,
): MessagePlace[] {
  return messages.flatMap(({ id: messageId }) => {
    const place = siblings[messageId]
    return place === undefined ? [] : [{ messageId, ...place }]
  })
}
