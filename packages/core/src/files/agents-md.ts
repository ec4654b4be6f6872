import { readFileSync, realpathSync, statSync } from 'node:fs'
import path from 'node:path'
import type { AgentState } from '../tool/agent-state.ts'
import { isInside, shownPath } from './resolve-path.ts'

/** Instruction files for agents. If a folder has several, all apply. */
const noteNames = ['AGENTS.md', 'CLAUDE.md'] as const
const maxCharacters = 32_000
const maxNoteBytes = 256 * 1024
const maxImports = 20
const maxImportDepth = 5

export interface AgentsNote {
  path: string
  text: string
}

interface NotesOptions {
  /** Nothing outside these folders is read, including through links and imports. */
  roots: readonly string[]
  /** Value of `~` in an import. Only Markdown below it can be imported. */
  personHome?: string | undefined
  /** Real paths already read. Newly read paths are added. */
  seen?: Set<string>
  /** Tells the model how to read the rest of a truncated file. */
  rest?: (file: string) => string
}

/**
 * Reads a folder's notes and their imports (`@docs/style.md`, `@~/.claude/mine.md`), each file once. Skips unreadable
 * notes. An import that does not exist, or that is outside the allowed folders, stays plain text.
 */
export function readAgentsNotes(folder: string, options: NotesOptions): AgentsNote[] {
  const { roots, personHome, seen = new Set<string>(), rest = () => 'read the file for the rest' } = options
  const realRoots = roots.map(realPathIfExists).filter((root) => root !== undefined)
  const realHome = personHome === undefined ? undefined : realPathIfExists(personHome)
  const notes: AgentsNote[] = []
  const texts = new Set<string>()
  let imports = 0
  for (const name of noteNames) add(path.join(folder, name), 0)
  return notes

  function add(file: string, depth: number): void {
    const real = realPathIfExists(file)
    if (real === undefined || seen.has(real) || !mayRead(real)) return
    let text: string
    try {
      const stats = statSync(real)
      if (!stats.isFile() || stats.size > maxNoteBytes * 4) return
      text = readFileSync(real, 'utf8').trim()
    } catch {
      return
    }
    seen.add(real)
    if (text === '' || text.includes('\0')) return
    // Skip a copy of the other file.
    const isNew = !texts.has(text)
    texts.add(text)
    const cut =
      text.length > maxCharacters ? `${text.slice(0, maxCharacters).toWellFormed()}\n[truncated; ${rest(file)}]` : text
    // Skip a file that only imports the other one.
    if (isNew && !isOnlyImports(text)) notes.push({ path: file, text: cut })
    if (depth >= maxImportDepth) return
    for (const target of importsIn(cut)) {
      if (++imports > maxImports) return
      add(placeOf(target, file), depth + 1)
    }
  }

  function placeOf(target: string, file: string): string {
    if (target.startsWith('~/')) return path.join(personHome ?? '/nonexistent', target.slice(2))
    return path.resolve(path.dirname(file), target)
  }

  function mayRead(real: string): boolean {
    const isMarkdown = /\.(md|mdc|markdown)$/i.test(real)
    if (realRoots.some((root) => isInside(real, root))) return isMarkdown || !isHidden(real)
    return isMarkdown && realHome !== undefined && isInside(real, realHome)
  }
}

function isHidden(file: string): boolean {
  return path.basename(file).startsWith('.') || /\.(pem|key|p12|pfx)$/i.test(file)
}

function realPathIfExists(file: string): string | undefined {
  try {
    return realpathSync(file)
  } catch {
    return undefined
  }
}

function isOnlyImports(text: string): boolean {
  return text.split('\n').every((line) => line.trim() === '' || /^@\S+$/.test(line.trim()))
}

/** Finds the imported paths (`@path`) in a text, except inside code. */
export function importsIn(text: string): string[] {
  const found = new Set<string>()
  let fence: string | undefined
  for (const line of text.split('\n')) {
    const mark = /^ {0,3}(`{3,}|~{3,})/.exec(line)?.[1]
    if (fence !== undefined) {
      if (mark !== undefined && mark[0] === fence[0] && mark.length >= fence.length && line.trim() === mark)
        fence = undefined
      continue
    }
    if (mark !== undefined) {
      fence = mark
      continue
    }
    const plain = line.replace(/(`+)(?:(?!\1).)*\1/g, ' ')
    for (const [, target = ''] of plain.matchAll(/(?:^|[\s(])@([^\s`)]+)/g)) {
      const clean = target.replace(/[.,;:!?]+$/, '')
      if (clean !== '' && clean.length <= 1000) found.add(clean)
    }
  }
  return [...found]
}

/**
 * Returns the notes of a folder and its ancestors up to the root, outermost first, with imports. Shows each to an agent
 * only once. Returns an empty string if nothing is new or workspace notes are disabled.
 */
export function unseenFolderNotes(ctx: { state: AgentState }, folder: string): string {
  const { state } = ctx
  const root = state.roots.find((one) => isInside(folder, one))
  if (root === undefined || state.readsNotes === false) return ''
  const parts: string[] = []
  for (let each = folder; ; each = path.dirname(each)) {
    if (!state.shownNotes.has(each) && isDue(state, each)) {
      const shown = (file: string): string => shownPath(file, state.cwd)
      const notes = readAgentsNotes(each, { roots: state.roots, rest: (file) => `read ${shown(file)} for the rest` })
      if (notes.length > 0) state.shownNotes.add(each)
      for (const { path: file, text } of notes.toReversed())
        parts.push(
          `Notes from ${shown(file)}, for everything in ${path.dirname(file) === each ? 'its folder' : shown(each)}:\n${text}`,
        )
    }
    if (each === root) break
  }
  return parts.toReversed().join('\n\n')
}

/** Time of the last check per folder without notes, since one step may read a thousand files in one folder. */
const lastCheckedAt = new WeakMap<AgentState, Map<string, number>>()
const recheckMs = 1000

function isDue(state: AgentState, folder: string): boolean {
  const times = lastCheckedAt.get(state) ?? new Map<string, number>()
  lastCheckedAt.set(state, times)
  const now = performance.now()
  if (now - (times.get(folder) ?? -recheckMs) < recheckMs) return false
  times.set(folder, now)
  return true
}

/** Marks notes as shown once the agent reads the file itself. */
export function markNotesShown(state: AgentState, file: string): void {
  if ((noteNames as readonly string[]).includes(path.basename(file))) state.shownNotes.add(path.dirname(file))
}
