import { existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { parseSkillFile, readFrontMatter } from '../parse-skill-file.ts'
import type { SkillHead } from '../skill.ts'
import { checkName, importLimits, refuse, type ArchiveEntry } from './archive-entry.ts'
import { readSource } from './read-source.ts'

/** Skills that were unpacked to be looked at; nothing loads them there. */
export interface StagedSkills {
  /** Fresh, with nothing else in it. */
  folder: string
  skills: (SkillHead & { folder: string; files: { name: string; size: number; executable: boolean }[] })[]
  problems: { path: string; message: string }[]
}

/**
 * Unpacks what a folder, a zip, a tar or a tar.gz has into a fresh folder below `parent`, and finds the skills in it.
 * Links, absolute paths, `..`, devices, names that mean one file and more than the limits are refused as a whole: then
 * an Error says why, and nothing is left.
 */
export function stageSkills(source: string, parent: string): StagedSkills {
  const { entries, packedBytes } = readSource(source)
  const files = checkEntries(entries, packedBytes)
  mkdirSync(parent, { recursive: true, mode: 0o700 })
  const folder = mkdtempSync(path.join(parent, 'import-'))
  try {
    for (const { entry, names } of files) {
      const target = path.join(folder, ...names)
      mkdirSync(path.dirname(target), { recursive: true, mode: 0o700 })
      const bytes = entry.read()
      if (bytes.length !== entry.size) refuse(entry.name, 'is not as long as it says')
      writeFileSync(target, bytes, { flag: 'wx', mode: entry.executable ? 0o700 : 0o600 })
    }
    return { folder, ...findIn(folder, files) }
  } catch (error) {
    rmSync(folder, { recursive: true, force: true })
    throw error
  }
}

/** The person has seen them and wants them: they become skills in `home`. Throws where one of the name is there. */
export function acceptSkills(staged: StagedSkills, home: string): string[] {
  const targets = staged.skills.map(({ name }) => path.join(home, name))
  const taken = targets.find((target) => existsSync(target))
  if (taken !== undefined)
    throw new Error(`There is already a skill at ${taken}. Remove it first, then import again. Nothing was imported.`)
  mkdirSync(home, { recursive: true, mode: 0o700 })
  for (const [i, { folder }] of staged.skills.entries()) renameSync(folder, targets[i] as string)
  dropStaged(staged)
  return targets
}

export function dropStaged({ folder }: Pick<StagedSkills, 'folder'>): void {
  rmSync(folder, { recursive: true, force: true })
}

interface NamedFile {
  entry: ArchiveEntry
  names: string[]
}

function checkEntries(entries: readonly ArchiveEntry[], packedBytes: number | undefined): NamedFile[] {
  const files: NamedFile[] = []
  const taken = new Map<string, ArchiveEntry['kind']>()
  let bytes = 0
  for (const entry of entries) {
    if (/^\.?\/*$/.test(entry.name)) continue
    const names = checkName(entry.name)
    // Many systems take names that differ in case or in how accents are written for one.
    const key = (length: number): string => names.slice(0, length).join('/').normalize('NFC').toLowerCase()
    if (taken.get(key(names.length)) === 'file' || (entry.kind === 'file' && taken.has(key(names.length))))
      refuse(entry.name, 'is there twice')
    for (let length = 1; length < names.length; length++) {
      if (taken.get(key(length)) === 'file') refuse(entry.name, 'lies in a file')
      taken.set(key(length), 'folder')
    }
    taken.set(key(names.length), entry.kind)
    if (entry.size > importLimits.fileBytes)
      refuse(entry.name, `is larger than ${importLimits.fileBytes / 1024 / 1024} MiB`)
    bytes += entry.size
    if (bytes > importLimits.allBytes) refuse(entry.name, 'is one too many: all together they are too large')
    if (entry.kind === 'file') files.push({ entry, names })
  }
  const most = Math.max(1024 * 1024, (packedBytes ?? Infinity) * importLimits.ratio)
  if (bytes > most) throw new Error('What is in the archive is far larger than the archive. Nothing was imported.')
  return files
}

/** Each outermost folder with a `SKILL.md` is a skill, whatever the folder is called there. */
function findIn(folder: string, files: readonly NamedFile[]): Pick<StagedSkills, 'skills' | 'problems'> {
  const skills: StagedSkills['skills'] = []
  const problems: StagedSkills['problems'] = []
  const found = files
    .filter(({ names }) => names.at(-1) === 'SKILL.md')
    .map(({ names }) => names.slice(0, -1))
    .toSorted((a, b) => a.length - b.length)
  const outermost = found.filter((names, i) => !found.slice(0, i).some((outer) => isWithin(names, outer)))
  for (const names of outermost) {
    const own = path.join(folder, ...names)
    const file = path.join(own, 'SKILL.md')
    try {
      if (statSync(file).size > 256 * 1024) throw new Error('it is longer than 256 KiB')
      const text = readFileSync(file, 'utf8')
      const { name } = readFrontMatter(text).data
      const { head } = parseSkillFile(text, typeof name === 'string' ? name : '')
      if (skills.some((skill) => skill.name === head.name)) throw new Error(`there are two skills named "${head.name}"`)
      const inside = files
        .filter((one) => isWithin(one.names, names))
        .map(({ entry, names: all }) => ({
          name: all.slice(names.length).join('/'),
          size: entry.size,
          executable: entry.executable,
        }))
      skills.push({ ...head, folder: own, files: inside })
    } catch (error) {
      problems.push({ path: [...names, 'SKILL.md'].join('/'), message: (error as Error).message })
    }
  }
  if (outermost.length === 0) problems.push({ path: '.', message: 'there is no SKILL.md in it' })
  return { skills, problems }
}

function isWithin(names: readonly string[], outer: readonly string[]): boolean {
  return outer.every((name, i) => names[i] === name)
}
