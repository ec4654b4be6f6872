import { existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import type { SkillHead } from '../tool/agent-state.ts'
import { maxDescriptionLength } from './agent-skills.ts'
import { maxSkillBytes, parseSkillFile, readFrontMatter } from './parse-skill-file.ts'
import { type ArchiveEntry, checkName, importLimits, ImportRefused, readSource, refuseImport } from './read-archive.ts'

/** Skills unpacked for review. Nothing loads them from there. */
export interface StagedSkills {
  /** A new folder that contains nothing else. */
  folder: string
  skills: (SkillHead & { folder: string; files: { name: string; size: number; executable: boolean }[] })[]
  problems: { path: string; message: string }[]
}

/**
 * Finds the skills in a folder, zip, tar or tar.gz and unpacks them into a new folder below `parent`. A faulty skill,
 * or one whose name exists in `home`, is left out and reported as a problem. Names that lead out of the archive, names
 * that collide, and exceeded limits reject the whole import. Then it throws an Error and leaves nothing behind.
 */
export function stageSkills(source: string, parent: string, home?: string): StagedSkills {
  const { entries, packedBytes } = readSource(source)
  const named = nameEntries(entries, packedBytes)
  mkdirSync(parent, { recursive: true, mode: 0o700 })
  const folder = mkdtempSync(path.join(parent, 'import-'))
  const staged: StagedSkills = { folder, skills: [], problems: [] }
  try {
    const roots = rootsIn(named)
    for (const root of roots) {
      try {
        const skill = stageOne(folder, root, named)
        if (staged.skills.some(({ name }) => name === skill.name))
          throw new Error(`there are two skills named "${skill.name}"`)
        if (home !== undefined && existsSync(path.join(home, skill.name)))
          throw new Error(`a skill "${skill.name}" already exists and is kept`)
        staged.skills.push(skill)
        const { length } = skill.description
        if (length > maxDescriptionLength)
          staged.problems.push({
            path: [...root, 'SKILL.md'].join('/'),
            message: `the description has ${length} characters; agents only see the first ${maxDescriptionLength}`,
          })
      } catch (error) {
        if (error instanceof ImportRefused) throw error
        rmSync(path.join(folder, ...root), { recursive: true, force: true })
        staged.problems.push({ path: [...root, 'SKILL.md'].join('/'), message: (error as Error).message })
      }
    }
    if (roots.length === 0) staged.problems.push({ path: '.', message: 'it has no SKILL.md' })
    return staged
  } catch (error) {
    rmSync(folder, { recursive: true, force: true })
    throw error
  }
}

/** Moves reviewed skills to `home`. Skills that exist there by now stay unchanged. */
export function acceptSkills(staged: StagedSkills, home: string): string[] {
  const fresh = staged.skills.filter(({ name }) => !existsSync(path.join(home, name)))
  if (fresh.length === 0) throw new Error('There is nothing to import: the skills already exist, or none were found.')
  mkdirSync(home, { recursive: true, mode: 0o700 })
  const targets = fresh.map(({ name, folder }) => {
    const target = path.join(home, name)
    renameSync(folder, target)
    return target
  })
  dropStaged(staged)
  return targets
}

export function dropStaged({ folder }: Pick<StagedSkills, 'folder'>): void {
  rmSync(folder, { recursive: true, force: true })
}

interface Named {
  entry: ArchiveEntry
  names: string[]
}

/** Checks every name. An invalid name rejects an archive. In a folder such a file is skipped. */
function nameEntries(entries: readonly ArchiveEntry[], packedBytes: number | undefined): Named[] {
  const named: Named[] = []
  const taken = new Map<string, ArchiveEntry['kind']>()
  let bytes = 0
  for (const entry of entries) {
    if (/^\.?\/*$/.test(entry.name)) continue
    let names: string[]
    try {
      names = checkName(entry.name)
    } catch (error) {
      if (packedBytes === undefined) continue
      throw error
    }
    // Many systems treat names that differ only in case or accent encoding as equal.
    const key = (length: number): string => names.slice(0, length).join('/').normalize('NFC').toLowerCase()
    const before = taken.get(key(names.length))
    if (before !== undefined && (before !== 'folder' || entry.kind !== 'folder'))
      refuseImport(entry.name, 'appears twice')
    for (let length = 1; length < names.length; length++) {
      if ((taken.get(key(length)) ?? 'folder') !== 'folder') refuseImport(entry.name, 'is inside a file')
      taken.set(key(length), 'folder')
    }
    taken.set(key(names.length), entry.kind)
    bytes += entry.size
    named.push({ entry, names })
  }
  const most = Math.max(1024 * 1024, (packedBytes ?? Infinity) * importLimits.ratio)
  if (bytes > most) throw new Error('The unpacked contents are far larger than the archive. Nothing was imported.')
  return named
}

/** Each outermost folder with a `SKILL.md` is a skill, whatever its name. */
function rootsIn(named: readonly Named[]): string[][] {
  const found = named
    .filter(({ entry, names }) => names.at(-1) === 'SKILL.md' && entry.kind !== 'folder')
    .map(({ names }) => names.slice(0, -1))
    .toSorted((a, b) => a.length - b.length)
  const keys = new Set<string>()
  return found.filter((names) => {
    for (let length = 0; length < names.length; length++) if (keys.has(names.slice(0, length).join('/'))) return false
    keys.add(names.join('/'))
    return true
  })
}

function stageOne(folder: string, root: readonly string[], named: readonly Named[]): StagedSkills['skills'][number] {
  const inside = named.filter(({ names }) => isWithin(names, root))
  if (inside.length > importLimits.skillEntries)
    throw new Error(`it has more than ${importLimits.skillEntries} entries`)
  const files = inside.flatMap((one) => fileOf(one, root, inside))
  if (files.reduce((sum, { entry }) => sum + entry.size, 0) > importLimits.allBytes)
    throw new Error(`it is larger than ${importLimits.allBytes / 1024 / 1024} MiB`)
  const own = path.join(folder, ...root)
  for (const { entry, names } of files) {
    const target = path.join(folder, ...names)
    mkdirSync(path.dirname(target), { recursive: true, mode: 0o700 })
    const bytes = entry.read()
    if (bytes.length !== entry.size) throw new Error(`"${entry.name}" does not have its declared size`)
    writeFileSync(target, bytes, { flag: 'wx', mode: entry.executable ? 0o700 : 0o600 })
  }
  const file = path.join(own, 'SKILL.md')
  if (statSync(file).size > maxSkillBytes) throw new Error(`it is longer than ${maxSkillBytes / 1024} KiB`)
  const text = readFileSync(file, 'utf8')
  const { name } = readFrontMatter(text).data
  const { head } = parseSkillFile(text, typeof name === 'string' ? name : '')
  return {
    ...head,
    folder: own,
    files: files.map(({ entry, names }) => ({
      name: names.slice(root.length).join('/'),
      size: entry.size,
      executable: entry.executable,
    })),
  }
}

/**
 * Returns a file as is, and a symlink to a file of the same skill as a copy of that file. Throws for anything else
 * except folders.
 */
function fileOf({ entry, names }: Named, root: readonly string[], inside: readonly Named[]): Named[] {
  const shown = names.slice(root.length).join('/')
  if (entry.kind === 'folder') return []
  if (entry.kind === 'other') throw new Error(`"${shown}" is a device or a pipe`)
  if (entry.size > importLimits.fileBytes)
    throw new Error(`"${shown}" is larger than ${importLimits.fileBytes / 1024 / 1024} MiB`)
  if (entry.kind === 'file') return [{ entry, names }]
  const { path: target = '', fromRoot } = entry.target ?? {}
  const wanted = path.posix.normalize(
    fromRoot === true ? target : path.posix.join(...names.slice(0, -1), target.startsWith('/') ? '/..' : target),
  )
  const found = inside.find((other) => other.entry.kind === 'file' && other.names.join('/') === wanted)
  if (found === undefined || target.startsWith('/'))
    throw new Error(`"${shown}" links to something other than a file of the skill`)
  if (found.entry.size > importLimits.fileBytes) throw new Error(`"${shown}" links to a file that is too large`)
  return [{ entry: { ...found.entry, name: entry.name }, names }]
}

function isWithin(names: readonly string[], outer: readonly string[]): boolean {
  return outer.every((name, i) => names[i] === name)
}
