import type { Api } from '../api/api.ts'
import { type AppState, findSession } from './app-state.ts'

/**
 * Asks the server if another client changed the current session, or a model wrote its title, which is no activity of the
 * chat. Cheaper than a full refresh.
 */
export async function hasRemoteChanges(state: AppState, api: Pick<Api, 'session'>): Promise<boolean> {
  const known = findSession(state, state.sessionId)
  if (state.isNew || state.isAway || known === undefined) return false
  try {
    const { updatedAt, title } = (await api.session(known.id)).session
    return updatedAt !== known.updatedAt || title !== known.title
  } catch {
    // The full refresh reports errors.
    return false
  }
}
