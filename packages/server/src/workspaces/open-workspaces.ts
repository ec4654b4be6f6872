import { readdir, stat } from 'node:fs/promises'
import path from 'node:path'
import {
  isInside,
  loadAgents,
  type Project,
  type ProjectFacts,
  type ProjectInfo,
  type Projects,
  type Session,
  type Store,
  type Workspace,
} from '@troupe/core'
import { NamedError } from '@troupe/protocol'
import type { ConfigFile, ProjectConfigs } from '../config/config.ts'
import type { Access } from '../http/access.ts'
import type { Ctx } from '../http/route.ts'
import type { OpenWorkspace } from '../http/scope.ts'
import type { TeamIsolation } from '../isolation/open-isolation.ts'
import { createKeyedMutex } from '../util/concurrency.ts'
import { isJoinedId } from '../util/joined-folder.ts'
import { SlowFolder } from './file-thread.ts'
import type { FolderStates } from './folder-states.ts'

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
  /** Places where pages may open folders, as paths without links. */
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
  /** Extensions and settings that a workspace brings. */
  loaders: readonly { load(workspace: Workspace): void }[]
  /** Called when a folder was found at another path. */
  onMove(from: string, to: string): void
}

export async function openWorkspaces(options: WorkspacesOptions): Promise<Workspaces> {
  const { store, states } = options
  const lock = createKeyedMutex()
  const added = new Set([options.own])

  const all: Workspaces = {
    own: await enter(options.own).catch(() => store.workspaces.open(options.own)),
    load,
    async of({ workspaceId, projectId }) {
      const found = await verified((await store.workspaces.get(workspaceId)) ?? all.own)
      const projects = projectId == null ? [] : await projectChain(store, found.id, projectId)
      const scope = projects.length === 0 ? found : { ...found, projects }
      load(scope)
      return scope
    },
    async open(folder) {
      const found = await enter(folder)
      load(found)
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

  function load(workspace: Workspace): void {
    for (const loader of options.loaders) loader.load(workspace)
  }

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
    load(now)
    return now
  }
}

/**
 * Returns the workspace that a request names by path or id. Programs may name any local folder, since they could serve
 * it themselves. A page can use the folders that were opened: see `POST /ai/workspaces`.
 */
export function createOpenWorkspace(options: {
  access: Pick<Access, 'isProgram'>
  workspaces: Pick<Workspaces, 'own' | 'open' | 'get' | 'listed' | 'load'>
  isolation?: Pick<TeamIsolation, 'admit'> | undefined
}): OpenWorkspace {
  const { access, workspaces, isolation } = options
  return async (c, folder) => {
    const found = await open(c, folder)
    if (isolation !== undefined && !isJoinedId(found.id)) await isolation.admit(found.path)
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

/** The projects of each workspace, for routes and tools. */
export interface WorkspaceProjects {
  of(workspace: Workspace): Projects
  /**
   * The default model of a workspace, or of the innermost project that names one. Only of trusted folders. Undefined if
   * there is none.
   */
  model(workspace: Workspace): string | undefined
}

export function createProjects(options: {
  store: Pick<Store, 'workspaces'>
  states: Pick<FolderStates, 'recheck'>
  configs: ProjectConfigs
  /** Projects of sessions with a live run. */
  inUse(): Promise<readonly string[]>
}): WorkspaceProjects {
  const { store, states, configs } = options

  /** A class, because prototype methods cost no memory per run and hundreds may be open. */
  class BoundProjects implements Projects {
    readonly #workspace: Workspace

    constructor(workspace: Workspace) {
      this.#workspace = workspace
    }

    async list(): Promise<ProjectInfo[]> {
      return (await store.workspaces.projects(this.#workspace.id)).map(toInfo)
    }

    async open(folder: string, name?: string): Promise<ProjectInfo> {
      const { id, path: top } = this.#workspace
      const { state, real } = await states.recheck(path.resolve(top, folder))
      if (state !== 'ok' || real === undefined)
        throw new NamedError('BadProject', 'A project must be an existing folder inside the workspace.')
      // A link may lead outside.
      const root = (await states.recheck(top)).real ?? top
      const inside = path.relative(root, real)
      if (inside === '..' || inside.startsWith(`..${path.sep}`) || path.isAbsolute(inside)) throw outsideWorkspace()
      return toInfo(await store.workspaces.openProject(id, path.join(top, inside), name))
    }

    async forget(id: string): Promise<void> {
      const used = (await options.inUse()).map((one) => projectChain(store, this.#workspace.id, one))
      if ((await Promise.all(used)).flat().some((project) => project.id === id))
        throw new NamedError('ProjectBusy', 'A chat is running in this project. Stop it first.', { status: 409 })
      await store.workspaces.forgetProject(this.#workspace.id, id)
    }

    describe(project: ProjectInfo): Promise<ProjectFacts> {
      return describe(project, this.#workspace.trusted)
    }
  }

  return {
    of: (workspace) => new BoundProjects(workspace),
    model(workspace) {
      if (!workspace.trusted) return undefined
      const folders = [workspace, ...(workspace.projects ?? [])]
      return folders.map((folder) => configs(folder).get()?.model).findLast((model) => model !== undefined)
    },
  }

  async function describe(project: ProjectInfo, trusted: boolean): Promise<ProjectFacts> {
    const config = configs(project).get() ?? {}
    const { allow = [], ask = [], deny = [] } = config.permissions ?? {}
    const skills = await Promise.all(
      ['.agents', '.troupe', '.claude'].map((name) => namesIn(path.join(project.path, name, 'skills'))),
    )
    const notes = await Promise.all(
      ['AGENTS.md', 'CLAUDE.md'].map(async (name) => ((await isFile(path.join(project.path, name))) ? [name] : [])),
    )
    const agents = loadAgents(path.join(project.path, '.troupe', 'agents'), 'project').entries
    return {
      ...project,
      trusted,
      notes: notes.flat(),
      skills: [...new Set(skills.flat())],
      agents: agents.map(({ name }) => name),
      rules: allow.length + ask.length + deny.length,
      mcpServers: Object.keys(config.mcpServers ?? {}),
      model: config.model ?? null,
    }
  }
}

/** A project and those around it, outermost first. */
export async function projectChain(
  store: Pick<Store, 'workspaces'>,
  workspaceId: string,
  projectId: string,
): Promise<Project[]> {
  const all = new Map((await store.workspaces.projects(workspaceId)).map((project) => [project.id, project]))
  const chain: Project[] = []
  for (let id: string | null = projectId; id !== null && chain.length < maxDepth;) {
    const project = all.get(id)
    if (project === undefined) break
    chain.unshift(project)
    id = project.parentProjectId
  }
  return chain
}

const maxDepth = 50

export function toProjectInfo(project: Project | undefined): ProjectInfo | undefined {
  return project && toInfo(project)
}

function toInfo({ id, name, path: at, parentProjectId }: Project): ProjectInfo {
  return { id, name, path: at, parentProjectId }
}

function outsideWorkspace(): NamedError {
  return new NamedError('OutsideWorkspace', 'A project must be inside its workspace.', { status: 400 })
}

async function namesIn(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { withFileTypes: true }).catch(() => [])
  return entries.filter((entry) => entry.isDirectory()).map(({ name }) => name)
}

function isFile(file: string): Promise<boolean> {
  return stat(file).then(
    (found) => found.isFile(),
    () => false,
  )
}

/** Identifies a workspace together with the project of a session. */
export function scopeOf({ id, projects }: Pick<Workspace, 'id' | 'projects'>): string {
  return sessionScope({ workspaceId: id, projectId: projects?.at(-1)?.id ?? null })
}

export function sessionScope({ workspaceId, projectId }: { workspaceId: string; projectId?: string | null }): string {
  return projectId == null ? workspaceId : `${workspaceId} ${projectId}`
}
