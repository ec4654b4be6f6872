import { readFileSync, statSync } from 'node:fs'
import path from 'node:path'
import type { AgentState } from '../agent-state.ts'
import { isInside, resolvePath, shownPath } from './resolve-path.ts'

const names = ['AGENTS.md', 'CLAUDE.md']
const maxCharacters = 32_000

/**
 * The notes of a folder and of those above it, up to the root that it lies in, outermost first: `AGENTS.md`, else
 * `CLAUDE.md`. Each is shown to an agent once. Empty when there is nothing new.
 */
export function takeFolderNotes(ctx: { state: AgentState }, folder: string): string {
  const { state } = ctx
  const root = state.roots.find((one) => isInside(folder, one))
  if (root === undefined) return ''
  const parts: string[] = []
  for (let each = folder; ; each = path.dirname(each)) {
    const notes = state.shownNotes.has(each) || !isDue(state, each) ? undefined : readNotes(ctx, each)
    if (notes !== undefined) {
      state.shownNotes.add(each)
      if (notes.text.trim() !== '')
        parts.push(`Notes from ${notes.shown}, for everything below its folder:\n${notes.text.trim()}`)
    }
    if (each === root) break
  }
  return parts.toReversed().join('\n\n')
}

/** When each folder without notes was looked at: a step may read a thousand files of one folder. */
const lookedAt = new WeakMap<AgentState, Map<string, number>>()
const lookAgainMs = 1000

function isDue(state: AgentState, folder: string): boolean {
  const times = lookedAt.get(state) ?? new Map<string, number>()
  lookedAt.set(state, times)
  const now = performance.now()
  if (now - (times.get(folder) ?? -lookAgainMs) < lookAgainMs) return false
  times.set(folder, now)
  return true
}

/** Whoever reads the notes themselves needs no copy of them. */
export function markNotesShown(state: AgentState, file: string): void {
  if (names.includes(path.basename(file))) state.shownNotes.add(path.dirname(file))
}

function readNotes(ctx: { state: AgentState }, folder: string): { shown: string; text: string } | undefined {
  for (const name of names) {
    const file = path.join(folder, name)
    // Most folders have none.
    if (statSync(file, { throwIfNoEntry: false }) === undefined) continue
    try {
      const { path: real, stats } = resolvePath(ctx, file, { for: 'read' })
      if (stats?.isFile() !== true) continue
      const text = readFileSync(real, 'utf8')
      const shown = shownPath(file, ctx.state.cwd)
      return {
        shown,
        text: text.length > maxCharacters ? `${text.slice(0, maxCharacters)}\n[cut; Read ${shown} for the rest]` : text,
      }
    } catch {
      // Notes that cannot be read, or lead out of the workspace, are none.
    }
  }
  return undefined
}
