import type { Api } from '../api/api.ts'
import { type AppState, findSession } from './app-state.ts'

/** One small question: whether another browser has done something in the session in sight. */
export async function hasRemoteChanges(state: AppState, api: Pick<Api, 'session'>): Promise<boolean> {
  const known = findSession(state, state.sessionId)
  if (state.isNew || state.isAway || known === undefined) return false
  try {
    return (await api.session(known.id)).session.updatedAt !== known.updatedAt
  } catch {
    // The look at everything tells what is wrong.
    return false
  }
}
