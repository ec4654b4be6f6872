import { isUtf8 } from 'node:buffer'
import { readdirSync, readFileSync, realpathSync, type Stats, statSync } from 'node:fs'
import path from 'node:path'
import { isInside } from '../files/resolve-path.ts'
import type { Skill, SkillHead, SkillProblem, SkillScope } from '../tool/agent-state.ts'
import { FileFault, maxSkillBytes, parseSkillFile } from './parse-skill-file.ts'

/** Skills by name, each with the `SKILL.md` files it overrides. */
export interface FoundSkills {
  skills: (Skill & { shadows: string[] })[]
  /** Files that are not valid skills, with the reason. They do not affect the other skills. */
  problems: SkillProblem[]
}

export type FindSkills = (places: readonly SkillPlace[]) => FoundSkills

/** Cached result for a file, valid until the file changes. */
interface Known {
  mark: string
  head?: SkillHead
  problem?: SkillProblem
}

const maxPerFolder = 5000

/**
 * Checks the disk on every call, but reads only changed files. Synchronous, because checking 500 files takes a few
 * milliseconds that way and several times more through the thread pool.
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
    if (stats === undefined) return undefined
    const mark = `${stats.mtimeMs} ${stats.ctimeMs} ${stats.size} ${stats.ino} ${root ?? ''}`
    const before = known.get(file)
    if (before?.mark === mark) return before
    try {
      if (root !== undefined && !isInside(realpathSync(file), realpathSync(root)))
        throw new FileFault('it links to something outside the project')
      return { mark, head: parseSkillFile(readSkill(file, stats), path.basename(path.dirname(file))).head }
    } catch (error) {
      const { message } = error as Error
      const line = error instanceof FileFault ? error.line : undefined
      return { mark, problem: { path: file, message, line } }
    }
  }
}

/** Reads the current text of a skill without its front matter. Throws an Error that explains the problem. */
export function readSkillBody(skill: Pick<Skill, 'path' | 'name'>): string {
  const stats = statSync(skill.path, { throwIfNoEntry: false })
  if (stats === undefined) throw new Error(`The skill "${skill.name}" no longer exists at ${skill.path}.`)
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

export interface SkillPlace {
  folder: string
  scope: SkillScope
  /**
   * Folder that must contain its skills, after resolving symlinks. Absent for the user's own, which may be anywhere.
   */
  root?: string
}

/** Within one place, later entries win. */
const folders = [
  ['.claude', 'skills'],
  ['.agents', 'skills'],
  ['.troupe', 'skills'],
]

/**
 * Returns the folders to search for skills, lowest precedence first. Pass only a workspace and projects that the user
 * trusts.
 */
export function skillPlaces(given: {
  personHome: string
  troupeHome: string
  /** Enclosing workspaces, outermost first. */
  parents?: readonly string[]
  workspace?: string
  /** Projects inside the workspace, outermost first. */
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

/** Returns the skills named in a text as `/skill/name` or `/skill/[name|label]`, in order, without duplicates. */
export function skillNames(text: string): string[] {
  const names = text.matchAll(mention).map(([, labelled, plain]) => (labelled ?? plain ?? '').toLowerCase())
  return [...new Set(names)]
}

/** Finds a skill by name, with or without a trailing `-skill`. */
export function findSkill<T extends { name: string }>(name: string, skills: readonly T[]): T | undefined {
  const others = [`${name}-skill`, name.replace(/-skill$/, '')]
  return skills.find((skill) => skill.name === name) ?? skills.find((skill) => others.includes(skill.name))
}
