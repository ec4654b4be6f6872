import type { AppState } from '../find-session.ts'
import { findSession } from '../find-session.ts'

/** Whom the session in sight talks to; null for the master. */
export function sessionAgent(state: AppState): string | null {
  const { sessionId, chosenAgents } = state
  const session = findSession(state, sessionId)
  return session === undefined ? (chosenAgents[sessionId] ?? null) : session.agent
}
