import type { AppState } from '../find-session.ts'
import type { ListedSession } from '../api/api.ts'

/** A session of the list, wherever in it it stands. */
export function findListedSession(
  { sessions, aside, folderPages }: Pick<AppState, 'sessions' | 'aside' | 'folderPages'>,
  sessionId: string,
): ListedSession | undefined {
  const shelves = [sessions, aside?.sessions ?? [], ...Object.values(folderPages).map((page) => page.sessions)]
  return shelves.flat().find(({ id }) => id === sessionId)
}
