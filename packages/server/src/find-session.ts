import { NamedError, type Session, type Store } from '@troupe/core'

/** A session of this workspace. Throws `SessionNotFound` (404), also where another workspace has it. */
export async function findSession(store: Store, sessionId: string | undefined, workspaceId: string): Promise<Session> {
  const session = await store.sessions.get(sessionId ?? '')
  if (session === undefined || session.workspaceId !== workspaceId) throw sessionNotFound(sessionId)
  return session
}

export function sessionNotFound(sessionId: string | undefined): NamedError {
  const data = { sessionId: sessionId?.slice(0, 80) ?? null }
  return new NamedError('SessionNotFound', 'There is no such session.', { status: 404, data })
}

/** Throws `SessionTrashed` (409): nothing is begun in what was thrown away. */
export function assertNotTrashed({ trashedAt }: Session): void {
  if (trashedAt === null) return
  throw new NamedError('SessionTrashed', 'This session is in the trash. Restore it first.', { status: 409 })
}
