import path from 'node:path'
import { isInside, type Session, type Store, type Workspace } from '@troupe/core'
import { NamedError } from '@troupe/protocol'
import type { ConfigFile } from '../config/config.ts'
import { createKeyedMutex } from '../util/concurrency.ts'
import { SlowFolder } from './file-thread.ts'
import type { FolderStates } from './folder-states.ts'
import { projectChain } from './projects.ts'

/** The folders of this server. Each has its own sessions, trust and extensions. */
export interface Workspaces {
  /** The folder that the server was started in. */
  own: Workspace
  /** Loads the extensions of a workspace. Called when it is opened, used or trusted. */
  load(workspace: Workspace): void
  /** Returns the workspace of a session, with its projects, and loads it. Throws `FolderSlow` (503). */
  of(session: Pick<Session, 'workspaceId'> & { projectId?: string | null }): Promise<Workspace>
  /**
   * Opens the folder at a path. A folder that was moved there keeps its workspace. Throws `BadWorkspace` (400) if there
   * is no folder, and `FolderSlow` (503).
   */
  open(folder: string): Promise<Workspace>
  /** Returns a workspace by its id. Throws `WorkspaceNotFound` (404) and `FolderSlow` (503). */
  get(id: string): Promise<Workspace>
  /** Returns the listed workspace of a path, for pages. Throws `FolderNotOpen` (403). */
  listed(folder: string): Promise<Workspace>
  /** Opens a folder for a page. Throws the errors of `open`, and `OutsideRoots` (403). */
  openInRoots(folder: string): Promise<Workspace>
  /** Where pages may open folders, without links. */
  roots(): Promise<string[]>
  /** Adds a folder that was opened from the command line. */
  addRoot(folder: string): void
  /** True if a path without links is in a place where pages may open folders. */
  isAllowed(real: string): Promise<boolean>
}

interface WorkspacesOptions {
  store: Store
  states: FolderStates
  config: Pick<ConfigFile, 'get'>
  /** The Troupe home. Agents never work in it. */
  home: string
  personHome: string
  own: string
  load(workspace: Workspace): void
  /** Called when a folder was found at another path. */
  onMove(from: string, to: string): void
}

export async function openWorkspaces(options: WorkspacesOptions): Promise<Workspaces> {
  const { store, states } = options
  const lock = createKeyedMutex()
  const added = new Set([options.own])

  const all: Workspaces = {
    own: await enter(options.own).catch(() => store.workspaces.open(options.own)),
    load: options.load,
    async of({ workspaceId, projectId }) {
      const found = await verified((await store.workspaces.get(workspaceId)) ?? all.own)
      const projects = projectId == null ? [] : await projectChain(store, found.id, projectId)
      const scope = projects.length === 0 ? found : { ...found, projects }
      options.load(scope)
      return scope
    },
    async open(folder) {
      const found = await enter(folder)
      options.load(found)
      return found
    },
    async get(id) {
      const found = await store.workspaces.get(id)
      if (found === undefined)
        throw new NamedError('WorkspaceNotFound', 'This folder is not open here.', { status: 404 })
      return verified(found)
    },
    async listed(folder) {
      const known = (await store.workspaces.list()).find(({ path: at, listed }) => at === folder && listed !== false)
      if (known === undefined)
        throw new NamedError('FolderNotOpen', 'Open this folder first.', { status: 403, data: { path: folder } })
      return verified(known)
    },
    async openInRoots(folder) {
      const seen = await states.recheck(checkPath(folder))
      if (seen.state === 'slow') throw new SlowFolder(folder)
      if (seen.state === 'missing') throw badWorkspace()
      if (seen.real === undefined || !(await all.isAllowed(seen.real))) throw outsideRoots(await all.roots())
      const found = await all.open(folder)
      await store.workspaces.setListed(found.id, true)
      return found
    },
    async roots() {
      const given = options.config.get().roots ?? ['~']
      const named = given.map((root) => path.resolve(root.replace(/^~(?=$|\/|\\)/, options.personHome)))
      const found = await Promise.all(
        [...named, ...added].map(async (root) => (await states.check(root, waitForRootMs)).real),
      )
      return [...new Set(found.filter((root) => root !== undefined))]
    },
    addRoot: (folder) => void added.add(folder),
    async isAllowed(real) {
      const home = (await states.check(options.home)).real ?? options.home
      if (isInside(real, home)) return false
      return (await all.roots()).some((root) => isInside(real, root))
    },
  }
  return all

  /** Finds or creates the workspace of a folder, and follows a folder that was moved. */
  function enter(given: string): Promise<Workspace> {
    const folder = path.resolve(checkPath(given))
    return lock(folder, async () => {
      const seen = await states.check(folder)
      if (seen.state === 'slow') throw new SlowFolder(folder)
      if (seen.state === 'missing') throw badWorkspace()
      const moved = await findMoved(folder, seen.identity)
      if (moved !== undefined) return moved
      const found = await store.workspaces.open(folder)
      return seen.identity === undefined || seen.identity === found.identity
        ? found
        : store.workspaces.identify(found.id, seen.identity)
    })
  }

  async function findMoved(folder: string, identity: string | undefined): Promise<Workspace | undefined> {
    if (identity === undefined) return undefined
    const same = await store.workspaces.identified(identity)
    if (same.length === 0 || same.some((one) => one.path === folder)) return undefined
    if ((await store.workspaces.list()).some((one) => one.path === folder)) return undefined
    for (const one of same) {
      const { state, identity: there } = await states.recheck(one.path)
      // Also at its old path: a link or a mount.
      if (state === 'slow' || there === identity) continue
      const moved = await store.workspaces.move(one.id, folder)
      options.onMove(one.path, folder)
      return moved
    }
    return undefined
  }

  /** Drops the trust of a path where another folder is now. */
  async function verified(workspace: Workspace): Promise<Workspace> {
    const { state, identity } = await states.check(workspace.path)
    if (state === 'slow') throw new SlowFolder(workspace.path)
    if (identity === undefined || identity === workspace.identity) return workspace
    const now = await store.workspaces.identify(workspace.id, identity)
    options.load(now)
    return now
  }
}

const waitForRootMs = 500

function checkPath(folder: unknown): string {
  if (typeof folder !== 'string' || !path.isAbsolute(folder) || folder.includes('\0') || folder.length > 4096)
    throw badWorkspace()
  return folder
}

function badWorkspace(): NamedError {
  return new NamedError('BadWorkspace', 'A workspace must be the absolute path of an existing folder.')
}

function outsideRoots(roots: string[]): NamedError {
  return new NamedError(
    'OutsideRoots',
    'The page cannot open folders in this place. Run "troupe" in the folder, or add the place to "roots" in config.json.',
    { status: 403, data: { roots } },
  )
}
