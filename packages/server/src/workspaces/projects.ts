import { readdir, stat } from 'node:fs/promises'
import path from 'node:path'
import {
  loadAgents,
  type Project,
  type ProjectFacts,
  type ProjectInfo,
  type Projects,
  type Store,
  type Workspace,
} from '@troupe/core'
import { NamedError } from '@troupe/protocol'
import type { ProjectConfigs } from '../config/config.ts'
import type { FolderStates } from './folder-states.ts'

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
