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

interface ChatSessionView {
  sessionId: string
  /** The sub-agent whose conversation it is; null for the session's own. */
  agentId: string | null
  /** Its title, model, mode and so on; undefined until it is known. */
  session: ListedSession | undefined
  branch: {
    leafMessageId: string | null
    /** The branch goes further up than what is loaded. */
    hasOlder: boolean
  }
  siblingNav: SiblingNav
}

/** The ways that the conversation went at each message. */
interface SiblingNav {
  /** Every message of the branch in sight, in its order, with where it stands among its siblings. */
  places: readonly MessagePlace[]
  /** Where a message stands among its siblings, 1-based; undefined where that is not known. */
  placeOf: (messageId: string) => SiblingPlace | undefined
  /** Shows the branch through the sibling before it; false where there is none. */
  previous: (messageId: string) => boolean
  next: (messageId: string) => boolean
}

/** Which session this component is in, and which of its branches is in sight. */
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
  /** Every call of the branch in sight, in its order, as cards get them. */
  toolParts: readonly (ToolCall & { messageId: string })[]
  /** The sub-agents of the session by their id: what they do, their newest line, and the way to all that they say. */
  subAgentStreams: ReadonlyMap<string, SubAgentStream>
}

interface SubAgentStream extends SubAgent {
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

/** Where a message stands among its siblings, 1-based; `prev` and `next` are their ids, null where there is none. */
interface MessagePlace extends SiblingPlace {
  messageId: string
}

/** In the order of the messages. Those that the server has not stored yet have none. */
export function messagePlaces(
  messages: readonly { id: string }[],
  siblings: Readonly<Record<string, SiblingPlace>>,
): MessagePlace[] {
  return messages.flatMap(({ id: messageId }) => {
    const place = siblings[messageId]
    return place === undefined ? [] : [{ messageId, ...place }]
  })
}
