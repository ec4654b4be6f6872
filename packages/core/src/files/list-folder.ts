import { type Dirent, readFileSync } from 'node:fs'
import { opendir, readlink } from 'node:fs/promises'
import path from 'node:path'
import type { FolderDisplayEntry } from '@troupe/protocol'
import type { Ignore } from 'ignore'
import { formatCount } from '../text/format.ts'
import type { ToolContext } from '../tool/tool.ts'
import { isInside } from './resolve-path.ts'
import type { ReadOutput } from './read-file.ts'

interface ListedEntry {
  name: string
  kind: 'file' | 'folder' | 'link' | 'other'
  target?: string
  inside?: ListedFolder
}

interface ListedFolder {
  entries: ListedEntry[]
  left: number
  /** Number of entries hidden by ignore rules. */
  ignored: number
  problem?: string
}

interface ListOptions {
  /** Levels to list; 1 lists only direct entries. */
  depth: number
  /** Maximum entries in total. Higher levels come first. */
  limit: number
  rules?: IgnoreRules | undefined
  signal: AbortSignal
}

/**
 * Lists the tree level by level in name order, so that one full folder does not hide its neighbors. Shows links but
 * does not follow them. Memory use does not grow with the number of names.
 */
export async function listFolder(folder: string, options: ListOptions): Promise<ListedFolder> {
  const top = await readNames(folder, options.limit, options.rules, options.signal)
  let left = options.limit - top.entries.length
  let level = subfolders(top, folder, options.rules)
  for (let depth = 2; depth <= options.depth && left > 0 && level.length > 0; depth++) {
    const next: FolderLevel = []
    const share = Math.max(minShare, Math.floor(left / level.length))
    for (const { entry, at, rules } of level) {
      if (left <= 0) break
      const own = rules?.enter(entry.name)
      entry.inside = await readNames(at, Math.min(left, share), own, options.signal)
      left -= entry.inside.entries.length
      next.push(...subfolders(entry.inside, at, own))
    }
    level = next
  }
  return top
}

/** Minimum entries shown per opened folder. */
const minShare = 10

/** Names per folder that are checked against ignore rules. Checking a hundred thousand takes too long. */
const maxRuleChecks = 20_000

type FolderLevel = { entry: ListedEntry; at: string; rules: IgnoreRules | undefined }[]

function subfolders({ entries }: ListedFolder, at: string, rules: IgnoreRules | undefined): FolderLevel {
  const folders = entries.filter((entry) => entry.kind === 'folder')
  return folders.map((entry) => ({ entry, at: path.join(at, entry.name), rules }))
}

async function readNames(
  folder: string,
  limit: number,
  rules: IgnoreRules | undefined,
  signal: AbortSignal,
): Promise<ListedFolder> {
  let kept: Dirent[] = []
  let total = 0
  let ignored = 0
  try {
    for await (const entry of await opendir(folder, { bufferSize: 1024 })) {
      if (rules !== undefined && total < maxRuleChecks && rules.ignores(entry.name, entry.isDirectory())) {
        ignored++
        continue
      }
      total++
      kept.push(entry)
      if (kept.length >= limit * 2 + 1000) {
        kept = firstByName(kept, limit)
        signal.throwIfAborted()
      }
    }
  } catch (error) {
    signal.throwIfAborted()
    const { code, message } = error as NodeJS.ErrnoException
    return { entries: [], left: 0, ignored: 0, problem: code === 'EACCES' ? 'permission denied' : message }
  }
  const entries = await Promise.all(firstByName(kept, limit).map((entry) => toListedEntry(entry, folder)))
  return { entries, left: total - entries.length, ignored }
}

function firstByName(entries: Dirent[], limit: number): Dirent[] {
  return entries.toSorted((a, b) => (a.name < b.name ? -1 : a.name > b.name ? 1 : 0)).slice(0, limit)
}

async function toListedEntry(entry: Dirent, folder: string): Promise<ListedEntry> {
  const { name } = entry
  if (entry.isFile()) return { name, kind: 'file' }
  if (entry.isDirectory()) return { name, kind: 'folder' }
  if (!entry.isSymbolicLink()) return { name, kind: 'other' }
  const target = await readlink(path.join(folder, name)).catch(() => undefined)
  return { name, kind: 'link', target }
}

export function formatFolder(folder: ListedFolder, indent = ''): string[] {
  const lines = folder.entries.flatMap((entry) => [
    `${indent}${formatEntry(entry)}`,
    ...(entry.inside === undefined ? [] : formatFolder(entry.inside, `${indent}  `)),
  ])
  if (folder.left > 0) lines.push(`${indent}... (${folder.left} more)`)
  if (folder.problem !== undefined) lines.push(`${indent}(cannot be opened: ${folder.problem})`)
  return lines
}

function formatEntry({ name, kind, target }: ListedEntry): string {
  const shown = printable(name)
  if (kind === 'folder') return `${shown}/`
  if (kind === 'link') return target === undefined ? `${shown} (link)` : `${shown} -> ${printable(target)}`
  return kind === 'other' ? `${shown} (special file)` : shown
}

/** Quotes a name with control characters as JSON, since it would break the line. */
function printable(name: string): string {
  // eslint-disable-next-line no-control-regex
  return /[\u0000-\u001f\u007f]/.test(name) ? JSON.stringify(name) : name
}

export function flattenFolder(folder: ListedFolder, depth = 0): FolderDisplayEntry[] {
  return folder.entries.flatMap(({ name, kind, inside }) => [
    { name, kind, depth },
    ...(inside === undefined ? [] : flattenFolder(inside, depth + 1)),
  ])
}

export function countFolder(folder: ListedFolder): { shown: number; left: number; ignored: number } {
  const sum = { shown: folder.entries.length, left: folder.left, ignored: folder.ignored }
  for (const { inside } of folder.entries) {
    if (inside === undefined) continue
    const below = countFolder(inside)
    sum.shown += below.shown
    sum.left += below.left
    sum.ignored += below.ignored
  }
  return sum
}

interface IgnoreRules {
  ignores(name: string, isFolder: boolean): boolean
  enter(name: string): IgnoreRules
}

const ignoreFileNames = ['.gitignore', '.ignore']

/**
 * Loads the rules from `root` down to `folder`. An ignored folder was requested by name, so only its own rules apply.
 */
export async function loadIgnoreRules(folder: string, root: string): Promise<IgnoreRules> {
  const { default: ignore } = await import('ignore')
  let rules = rulesOf(root, [])
  for (const name of path.relative(root, folder).split(path.sep)) {
    if (name === '' || name === '..') break
    if (rules.ignores(name, true)) return rulesOf(folder, [])
    rules = rules.enter(name)
  }
  return rules

  function rulesOf(here: string, above: readonly { base: string; rules: Ignore }[]): IgnoreRules {
    const own = readRules(here)
    const all = own === undefined ? above : [...above, { base: here, rules: ignore({ ignorecase: false }).add(own) }]
    return {
      ignores(name, isFolder) {
        if (name === '.git') return true
        let isIgnored = false
        for (const { base, rules } of all) {
          const relative = path.relative(base, path.join(here, name)).split(path.sep).join('/')
          const result = rules.test(isFolder ? `${relative}/` : relative)
          if (result.ignored) isIgnored = true
          else if (result.unignored) isIgnored = false
        }
        return isIgnored
      },
      enter: (name) => rulesOf(path.join(here, name), all),
    }
  }
}

function readRules(folder: string): string | undefined {
  const texts: string[] = []
  for (const name of ['.git/info/exclude', ...ignoreFileNames]) {
    try {
      texts.push(readFileSync(path.join(folder, name), 'utf8'))
    } catch {
      // Most folders have no ignore file. An unreadable one ignores nothing.
    }
  }
  return texts.length === 0 ? undefined : texts.join('\n')
}

interface FolderOptions {
  depth: number
  limit: number
  /** 1-based index of the first direct entry to show. */
  offset?: number
  /** Includes entries hidden by ignore rules. */
  all?: boolean
}

export async function readFolder(
  folder: { real: string; shown: string; name: string },
  { depth, limit, offset, all = false }: FolderOptions,
  ctx: ToolContext,
): Promise<{ output: Extract<ReadOutput, { kind: 'folder' }>; text: string }> {
  const root = ctx.state.roots.find((one) => isInside(folder.real, one)) ?? folder.real
  const rules = all ? undefined : await loadIgnoreRules(folder.real, root)
  const skipped = (offset ?? 1) - 1
  const listed = await listFolder(folder.real, { depth, limit: skipped + limit, rules, signal: ctx.signal })
  if (listed.problem !== undefined) throw new Error(`${folder.shown} cannot be opened: ${listed.problem}.`)
  const total = listed.entries.length + listed.left
  listed.entries.splice(0, skipped)
  if (skipped > 0 && listed.entries.length === 0)
    throw new Error(
      `${folder.shown} has ${formatCount(total, 'entry', 'entries')}; there is none at offset ${skipped + 1}.`,
    )
  const { shown, left, ignored } = countFolder(listed)
  const notes = [
    left > 0 &&
      offset === undefined &&
      `${shown} shown, ${left} omitted. List a subfolder on its own, or set a higher limit.`,
    left > 0 &&
      offset !== undefined &&
      `Entries ${skipped + 1} to ${skipped + shown} of ${total}; continue with offset ${skipped + shown + 1}.`,
    ignored > 0 && `${ignored} ignored by version control ${ignored === 1 ? 'is' : 'are'} not shown.`,
  ].filter((note) => note !== false)
  const tree = listed.entries.length === 0 ? ['(nothing)'] : formatFolder(listed)
  const text = [`${folder.shown === '.' ? folder.real : folder.shown}/`, ...tree.map((line) => `  ${line}`)]
  if (notes.length > 0) text.push(`(${notes.join(' ')})`)
  return { output: { kind: 'folder', path: folder.name, entries: flattenFolder(listed), left }, text: text.join('\n') }
}
