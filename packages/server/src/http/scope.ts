import { statSync } from 'node:fs'
import path from 'node:path'
import type { Session, Store, Workspace } from '@troupe/core'
import { NamedError, workspaceEndpoints } from '@troupe/protocol'
import type { Access } from './access.ts'
import { type Ctx, implement, type Route } from './route.ts'

export type OpenWorkspace = (c: Ctx, folder?: unknown) => Promise<Workspace>

/**
 * Programs may name any local folder, since they could serve it themselves. A page can use only the one it was opened
 * in.
 */
export function createOpenWorkspace(options: {
  store: Store
  access: Access
  own: Workspace
  onOpen: (workspace: Workspace) => void
}): OpenWorkspace {
  const { store, access, own, onOpen } = options
  return async (c, folder) => {
    if (folder === undefined || folder === own.path) return (await store.workspaces.get(own.id)) ?? own
    access.checkProgram(c)
    const workspace = await store.workspaces.open(checkFolder(folder))
    onOpen(workspace)
    return workspace
  }
}

function checkFolder(folder: unknown): string {
  const valid = typeof folder === 'string' && path.isAbsolute(folder) && !folder.includes('\0')
  if (valid && isFolder(folder)) return folder
  throw new NamedError('BadWorkspace', 'A workspace must be the absolute path of an existing folder.')
}

function isFolder(folder: string): boolean {
  try {
    return statSync(folder).isDirectory()
  } catch {
    return false
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

export function workspaceRoutes(options: {
  store: Store
  openWorkspace: OpenWorkspace
  workspaces: { load(workspace: Workspace): void }
}): Route[] {
  const { store, openWorkspace, workspaces } = options
  return implement(workspaceEndpoints, {
    'GET /ai/workspace': async ({ query: { path }, workspaceId }, c) => ({
      workspace: path === undefined ? await findWorkspace(store, workspaceId) : await openWorkspace(c, path),
    }),
    'PATCH /ai/workspace': async ({ body, workspaceId }) => {
      await store.workspaces.trust(workspaceId, body.trusted)
      const workspace = await findWorkspace(store, workspaceId)
      workspaces.load(workspace)
      return { workspace }
    },
  })
}
