import { isUtf8 } from 'node:buffer'
import { readdirSync, readFileSync, realpathSync, type Stats, statSync } from 'node:fs'
import path from 'node:path'
import { isInside } from '../files/resolve-path.ts'
import type { Skill, SkillHead, SkillProblem, SkillScope } from '../tool/agent-state.ts'
import { FileFault, maxSkillBytes, parseSkillFile } from './parse-skill-file.ts'

/** Skills by name, each with the `SKILL.md` files that it stands before. */
export interface FoundSkills {
  skills: (Skill & { shadows: string[] })[]
  /** Files that are no skills, and why; the rest is there. */
  problems: SkillProblem[]
}

export type FindSkills = (places: readonly SkillPlace[]) => FoundSkills

/** What was read of a file, as long as the file stays what it was. */
interface Known {
  mark: string
  head?: SkillHead
  problem?: SkillProblem
}

const maxPerFolder = 5000

/**
 * Looks on the disk each time: what has not changed since is not read again. Synchronous, since a look at 500 files
 * takes a few milliseconds so and several times that through the thread pool.
 */
export function createSkillFinder(): FindSkills {
  let known = new Map<string, Known>()

  return (places) => {
    const seen = new Map<string, Known>()
    const byName = new Map<string, FoundSkills['skills'][number]>()
    const problems: SkillProblem[] = []
    for (const place of places) {
      for (const folder of foldersIn(place, problems)) {
        const file = path.join(folder, 'SKILL.md')
        const now = seen.get(file) ?? look(file, place)
        if (now === undefined) continue
        seen.set(file, now)
        if (now.problem !== undefined) problems.push(now.problem)
        if (now.head === undefined) continue
        const { name } = now.head
        const farther = byName.get(name)
        const shadows = farther === undefined ? [] : [farther.path, ...farther.shadows]
        byName.set(name, { ...now.head, path: file, folder, scope: place.scope, shadows })
      }
    }
    known = seen
    return { skills: [...byName.values()].toSorted((a, b) => (a.name < b.name ? -1 : 1)), problems }
  }

  function look(file: string, { root }: SkillPlace): Known | undefined {
    let stats: Stats | undefined
    try {
      stats = statSync(file, { throwIfNoEntry: false })
    } catch (error) {
      return { mark: '', problem: { path: file, message: (error as Error).message } }
    }
    // A folder without one is no skill.
    if (stats === undefined) return undefined
    const mark = `${stats.mtimeMs} ${stats.ctimeMs} ${stats.size} ${stats.ino} ${root ?? ''}`
    const before = known.get(file)
    if (before?.mark === mark) return before
    try {
      if (root !== undefined && !isInside(realpathSync(file), realpathSync(root)))
        throw new FileFault('it is a link to something outside the project')
      return { mark, head: parseSkillFile(readSkill(file, stats), path.basename(path.dirname(file))).head }
    } catch (error) {
      const { message } = error as Error
      const line = error instanceof FileFault ? error.line : undefined
      return { mark, problem: { path: file, message, ...(line !== undefined && { line }) } }
    }
  }
}

/** The text of a skill as it is now, without its front matter. Throws an Error that says what is wrong. */
export function readSkillBody(skill: Pick<Skill, 'path' | 'name'>): string {
  const stats = statSync(skill.path, { throwIfNoEntry: false })
  if (stats === undefined) throw new Error(`The skill "${skill.name}" is no longer at ${skill.path}.`)
  return parseSkillFile(readSkill(skill.path, stats), skill.name).body
}

function readSkill(file: string, stats: Stats): string {
  if (!stats.isFile()) throw new FileFault('it is not a file')
  if (stats.size > maxSkillBytes) throw new FileFault(`it is longer than ${maxSkillBytes / 1024} KiB`)
  const bytes = readFileSync(file)
  if (!isUtf8(bytes)) throw new FileFault('it is not UTF-8 text')
  return bytes.toString()
}

function foldersIn({ folder }: SkillPlace, problems: SkillProblem[]): string[] {
  try {
    const entries = readdirSync(folder, { withFileTypes: true })
    if (entries.length > maxPerFolder)
      problems.push({ path: folder, message: `only the first ${maxPerFolder} of ${entries.length} entries are read` })
    return entries
      .filter((entry) => entry.isDirectory() || entry.isSymbolicLink())
      .map(({ name }) => name)
      .toSorted()
      .slice(0, maxPerFolder)
      .map((name) => path.join(folder, name))
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException
    if (code !== 'ENOENT' && code !== 'ENOTDIR') problems.push({ path: folder, message })
    return []
  }
}

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

const mention = /(?<![\w/.\\:])\/skill\/(?:\[([a-z0-9-]{1,64})(?:\|[^\]\n]{0,200})?\]|([a-z0-9-]{1,64})(?![\w/]))/gi

/** The skills that a person names in a text: `/skill/name` or `/skill/[name|label]`, in order, each once. */
export function skillNames(text: string): string[] {
  const names = text.matchAll(mention).map(([, labelled, plain]) => (labelled ?? plain ?? '').toLowerCase())
  return [...new Set(names)]
}

/** The skill that is meant: by its name, or by it with or without `-skill` at the end. */
export function findSkill<T extends { name: string }>(name: string, skills: readonly T[]): T | undefined {
  const others = [`${name}-skill`, name.replace(/-skill$/, '')]
  return skills.find((skill) => skill.name === name) ?? skills.find((skill) => others.includes(skill.name))
}
