import { statSync } from 'node:fs'
import path from 'node:path'
import { NamedError, type Store, type Workspace } from '@troupe/core'
import type { Access } from './access.ts'
import type { Ctx } from './route.ts'

/** The workspace that a request means: the server's own, or the folder that it names. */
export type OpenWorkspace = (c: Ctx, folder?: unknown) => Promise<Workspace>

/** Programs may name any folder of this machine, as they could serve it themselves; a page has the one it was opened in. */
export function createOpenWorkspace(options: {
  store: Store
  access: Access
  own: Workspace
  /** A workspace is used for the first time. */
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
  throw new NamedError('BadWorkspace', 'A workspace is the absolute path of a folder that is there.')
}

function isFolder(folder: string): boolean {
  try {
    return statSync(folder).isDirectory()
  } catch {
    return false
  }
}
