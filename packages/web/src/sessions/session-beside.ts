import type { AppState } from '../find-session.ts'

type SessionListView = Pick<AppState, 'sessionId' | 'sessions' | 'folders' | 'openFolders' | 'folderPages'>

/** The session that stands below (1) or above (-1) the one in sight in the list; the first, where it stands nowhere. */
export function adjacentSession(state: SessionListView, step: 1 | -1): string | undefined {
  const ids = [...sessionIdsInFolders(state, null), ...state.sessions.map(({ id }) => id)]
  const at = ids.indexOf(state.sessionId)
  return at === -1 ? ids[0] : ids[at + step]
}

function sessionIdsInFolders(state: SessionListView, parent: string | null): string[] {
  return state.folders
    .filter(({ id, parentFolderId }) => parentFolderId === parent && state.openFolders.includes(id))
    .flatMap(({ id }) => [
      ...sessionIdsInFolders(state, id),
      ...(state.folderPages[id]?.sessions.map((one) => one.id) ?? []),
    ])
}
