import path from 'node:path'
import type { SkillScope } from './skill.ts'

/** A folder of skills. */
export interface SkillPlace {
  folder: string
  scope: SkillScope
  /** What its skills must lie in, links resolved. Absent: anywhere, as the person's own may. */
  root?: string
}

/** Of one place the later wins. */
const folders = [
  ['.claude', 'skills'],
  ['.agents', 'skills'],
  ['.troupe', 'skills'],
]

/** Where skills are looked for, the farthest first. Only what the person trusts may be given as workspace or project. */
export function skillPlaces(given: {
  /** The person's home folder. */
  personHome: string
  /** Ours. */
  troupeHome: string
  /** Workspaces around this one, the outermost first. */
  parents?: readonly string[]
  workspace?: string
  /** Projects inside it, the outermost first. */
  projects?: readonly string[]
}): SkillPlace[] {
  const { personHome, troupeHome, parents = [], workspace, projects = [] } = given
  const home = [...folders.map((names) => path.join(personHome, ...names)), path.join(troupeHome, 'skills')]
  const within = (root: string, scope: SkillScope): SkillPlace[] =>
    folders.map((names) => ({ folder: path.join(root, ...names), scope, root }))
  const places: SkillPlace[] = [
    ...home.map((folder): SkillPlace => ({ folder, scope: 'home' })),
    ...parents.flatMap((parent) => within(parent, 'workspace')),
    ...(workspace === undefined ? [] : within(workspace, 'workspace')),
    ...projects.flatMap((project) => within(project, 'project')),
  ]
  return places.filter(({ folder }, index) => places.findIndex((place) => place.folder === folder) === index)
}
