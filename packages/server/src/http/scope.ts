import type { Session, Store, Workspace } from '@troupe/core'
import { NamedError } from '@troupe/protocol'
import { isJoinedId } from '../util/joined-folder.ts'
import type { Access } from './access.ts'
import type { TeamIsolation } from '../isolation/open-isolation.ts'
import type { Ctx } from './route.ts'

export type OpenWorkspace = (c: Ctx, folder?: unknown) => Promise<Workspace>

/**
 * Returns the workspace that a request names by path or id. Programs may name any local folder, since they could serve
 * it themselves. A page can use the folders that were opened: see `POST /ai/workspaces`.
 */
export function createOpenWorkspace(options: {
  access: Pick<Access, 'isProgram'>
  workspaces: {
    own: Workspace
    open(folder: string): Promise<Workspace>
    get(id: string): Promise<Workspace>
    listed(folder: string): Promise<Workspace>
    load(workspace: Workspace): void
  }
  isolation?: Pick<TeamIsolation, 'admit'> | undefined
}): OpenWorkspace {
  const { access, workspaces, isolation } = options
  return async (c, folder) => {
    const found = await open(c, folder)
    if (!isJoinedId(found.id)) await isolation?.admit(found.path)
    return found
  }

  async function open(c: Ctx, folder: unknown): Promise<Workspace> {
    if (folder === undefined || folder === workspaces.own.path) return workspaces.get(workspaces.own.id)
    if (typeof folder === 'string' && /^w_[\w-]{1,62}$/.test(folder)) {
      const found = await workspaces.get(folder)
      if (found.listed === false && !access.isProgram(c))
        throw new NamedError('WorkspaceNotFound', 'This folder is not open here.', { status: 404 })
      if (found.id !== workspaces.own.id) workspaces.load(found)
      return found
    }
    if (access.isProgram(c)) return workspaces.open(folder as string)
    const found = await workspaces.listed(folder as string)
    workspaces.load(found)
    return found
  }
}

/** Returns the workspace of a scoped request. It was opened for the request, so a missing one is a bug. */
export async function findWorkspace(store: Store, workspaceId: string): Promise<Workspace> {
  const workspace = await store.workspaces.get(workspaceId)
  if (workspace === undefined) throw new Error(`There is no workspace "${workspaceId}".`)
  return workspace
}

/** Throws `SessionNotFound` (404), also if the session belongs to another workspace. */
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
