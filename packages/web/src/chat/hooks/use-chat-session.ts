import type { SiblingPlace } from '@troupe/core'
import { useMemo } from 'react'
import type { ListedSession } from '../../api/api.ts'
import { findSession } from '../../find-session.ts'
import { useApp } from '../../workspace.ts'
import { useSession, useSessionStore } from '../session-context.ts'
import { messagePlaces, type MessagePlace } from './places-of.ts'

export interface ChatSessionView {
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
export interface SiblingNav {
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
