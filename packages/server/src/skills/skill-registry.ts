import {
  createSkillFinder,
  findSkill,
  type FindSkills,
  type FoundSkills,
  isInside,
  readSkillBody,
  type Session,
  type Skill,
  skillIn,
  skillList,
  skillNames,
  type SkillPlace,
  skillPlaces,
  type Store,
  type Workspace,
} from '@troupe/core'
import type { Part, StoredMessage } from '@troupe/protocol'
import { readResponding } from '../workspaces/folder-states.ts'

/** The skills of each workspace: the home's, those of enclosing trusted workspaces, and its own if trusted. */
export interface SkillRegistry {
  /** Reads the current skills from disk. With a session, includes its project and enclosing projects. */
  of(workspace: Workspace, session?: Pick<Session, 'projectId'>): Promise<FoundSkills>
  /** Synchronous version. Includes projects and enclosing workspaces only if looked up before. */
  now(workspace: Pick<Workspace, 'path' | 'trusted'>, session: Pick<Session, 'projectId'>): FoundSkills
  text(session: Session, workspace: Workspace): Promise<string>
  /** Includes skills that are turned off. */
  list(workspace: Workspace): Promise<{ skills: ListedSkill[]; problems: FoundSkills['problems'] }>
}

type ListedSkill = FoundSkills['skills'][number] & { enabled: boolean }

const maxCached = 100

export function createSkillRegistry(options: {
  /** The Troupe home. */
  home: string
  personHome: string
  store: Pick<Store, 'workspaces'>
  /** Names of skills that are turned off. */
  disabled?(): readonly string[]
  /** False for a folder that hangs. Its skills are those that were read last. */
  responds?(folder: string): boolean
}): SkillRegistry {
  const { home, personHome, store, disabled = () => [], responds = () => true } = options
  const kept = new Map<string, { places: SkillPlace[]; find: FindSkills; last?: FoundSkills }>()
  /** Trusted workspaces around a folder at the last lookup, outermost first. */
  const around = new Map<string, readonly string[]>()

  const registry: SkillRegistry = {
    async of(workspace, session = { projectId: null }) {
      await look(workspace, session)
      return registry.now(workspace, session)
    },
    now(workspace, session) {
      const found = read(workspace, session)
      const off = new Set(disabled())
      return off.size === 0 ? found : { ...found, skills: found.skills.filter(({ name }) => !off.has(name)) }
    },
    async list(workspace) {
      const session = { projectId: null }
      await look(workspace, session)
      const { skills, problems } = read(workspace, session)
      const off = new Set(disabled())
      return { skills: skills.map((skill) => ({ ...skill, enabled: !off.has(skill.name) })), problems }
    },
    text: async (session, workspace) => skillList((await registry.of(workspace, session)).skills),
  }
  return registry

  async function look(workspace: Workspace, session: Pick<Session, 'projectId'>): Promise<void> {
    if (around.size >= maxCached) around.clear()
    around.set(workspace.path, await parentsOf(workspace))
    const key = keyOf(workspace, session)
    if (!kept.has(key)) keep(key, workspace, await projectsOf(workspace, session))
  }

  function read(workspace: Pick<Workspace, 'path' | 'trusted'>, session: Pick<Session, 'projectId'>): FoundSkills {
    const key = keyOf(workspace, session)
    const known = kept.get(key) ?? (session.projectId === null ? keep(key, workspace, []) : make(workspace, []))
    known.last = readResponding(
      () => responds(workspace.path),
      () => known.find(known.places),
      () => known.last ?? { skills: [], problems: [] },
    )
    return known.last
  }

  function make(
    { path, trusted }: Pick<Workspace, 'path' | 'trusted'>,
    projects: string[],
  ): { places: SkillPlace[]; find: FindSkills; last?: FoundSkills } {
    const parents = around.get(path) ?? []
    const own = trusted ? { workspace: path, projects } : {}
    return { places: skillPlaces({ personHome, troupeHome: home, parents, ...own }), find: createSkillFinder() }
  }

  function keep(key: string, workspace: Pick<Workspace, 'path' | 'trusted'>, projects: string[]) {
    const made = make(workspace, projects)
    if (kept.size >= maxCached) kept.clear()
    kept.set(key, made)
    return made
  }

  async function parentsOf({ path }: Workspace): Promise<string[]> {
    const all = await store.workspaces.list()
    return all
      .filter((other) => other.trusted && other.path !== path && isInside(path, other.path))
      .map((other) => other.path)
      .toSorted((one, other) => one.length - other.length)
  }

  /** Returns the session's project and its ancestors, outermost first. */
  async function projectsOf(workspace: Workspace, { projectId }: Pick<Session, 'projectId'>): Promise<string[]> {
    if (projectId === null) return []
    const all = new Map((await store.workspaces.projects(workspace.id)).map((project) => [project.id, project]))
    const paths: string[] = []
    for (let id: string | null = projectId; id !== null && paths.length < 50;) {
      const project = all.get(id)
      if (project === undefined) break
      paths.unshift(project.path)
      id = project.parentProjectId
    }
    return paths
  }

  function keyOf(
    { path, trusted }: Pick<Workspace, 'path' | 'trusted'>,
    { projectId }: Pick<Session, 'projectId'>,
  ): string {
    return JSON.stringify([trusted, projectId, path, around.get(path)])
  }
}

/** Returns the parts for skills named in a text, in order, and hints for missing ones. */
export function loadMentionedSkills(
  text: string,
  skills: readonly Skill[],
  chain: readonly StoredMessage[],
): { parts: Part[]; hints: string[] } {
  const names = skillNames(text)
  if (names.length === 0) return { parts: [], hints: [] }
  const told = skillsInContext(chain)
  const parts = new Map<string, Part>()
  const hints: string[] = []
  for (const name of names) {
    const skill = findSkill(name, skills)
    if (skill === undefined) {
      hints.push(`There is no skill "${name}".`)
      continue
    }
    try {
      const { path, scope, allowedTools } = skill
      const content = told.has(path) ? '' : readSkillBody(skill)
      const data = { name: skill.name, path, scope, content, allowedTools }
      if (!parts.has(path)) parts.set(path, { type: 'data-skill', data })
    } catch (error) {
      hints.push(`The skill "${name}" was not loaded: ${(error as Error).message}`)
    }
  }
  return { parts: [...parts.values()], hints }
}

/** Returns skills whose text is still in the context. A skill replaced by a summary is loaded again. */
function skillsInContext(chain: readonly StoredMessage[]): Set<string> {
  const upTo = chain
    .flatMap(({ parts }) => parts)
    .flatMap((part) => (part.type === 'data-compaction' ? [part.data as { upTo?: { messageId?: string } }] : []))
    .map((data) => chain.findIndex(({ id }) => id === data.upTo?.messageId))
  const told = chain.slice(Math.max(-1, ...upTo) + 1).flatMap(({ parts }) => parts.map(skillIn))
  return new Set(told.flatMap((skill) => (skill === undefined || skill.content === '' ? [] : [skill.path])))
}
