import type { Session, Store, Workspace } from '@troupe/core'
import { NamedError } from '@troupe/protocol'
import type { Ctx } from './route.ts'

/** Returns the workspace that a request names by path or id. */
export type OpenWorkspace = (c: Ctx, folder?: unknown) => Promise<Workspace>

/** Returns the workspace of a scoped request. It was opened for the request, so a missing one is a bug. */
export async function findWorkspace(store: Store, workspaceId: string): Promise<Workspace> {
  const workspace = await store.workspaces.get(workspaceId)
  if (workspace === undefined) throw new Error(`There is no workspace "${workspaceId}".`)
  return workspace
}

/** Throws `SessionNotFound` (404), even if the session exists in another workspace. */
export async function findSession(store: Store, sessionId: string | undefined, workspaceId: string): Promise<Session> {
  const session = await store.sessions.get(sessionId ?? '')
  if (session === undefined || session.workspaceId !== workspaceId) throw sessionNotFound(sessionId)
  return session
}

export function sessionNotFound(sessionId: string | undefined): NamedError {
  const data = { sessionId: sessionId?.slice(0, 80) ?? null }
  return new NamedError('SessionNotFound', 'This chat does not exist.', { status: 404, data })
}

/** Nothing may start in a trashed session. */
export function sessionTrashed(): NamedError {
  return new NamedError('SessionTrashed', 'This chat is in the trash. Restore it first.', { status: 409 })
}
