import type { ListedSession } from './api/api.ts'
import type { AppState } from './app-store.ts'

/** What is known of a session, listed or not. */
export function findSession(state: Pick<AppState, 'sessions' | 'apart'>, sessionId: string): ListedSession | undefined {
  return state.sessions.find(({ id }) => id === sessionId) ?? state.apart[sessionId]
}
