import path from 'node:path'
import type { AgentState } from '../agent-state.ts'
import { noteNames, readAgentsNotes } from './agent-notes.ts'
import { isInside, shownPath } from './resolve-path.ts'

/**
 * The notes of a folder and of those above it, up to the root that it lies in, outermost first, with what they import.
 * Each is shown to an agent once. Empty when there is nothing new, and where the notes of the workspace do not count.
 */
export function unseenFolderNotes(ctx: { state: AgentState }, folder: string): string {
  const { state } = ctx
  const root = state.roots.find((one) => isInside(folder, one))
  if (root === undefined || state.readsNotes === false) return ''
  const parts: string[] = []
  for (let each = folder; ; each = path.dirname(each)) {
    if (!state.shownNotes.has(each) && isDue(state, each)) {
      const shown = (file: string): string => shownPath(file, state.cwd)
      const notes = readAgentsNotes(each, { roots: state.roots, rest: (file) => `Read ${shown(file)} for the rest` })
      if (notes.length > 0) state.shownNotes.add(each)
      for (const { path: file, text } of notes.toReversed())
        parts.push(
          `Notes from ${shown(file)}, for everything below ${path.dirname(file) === each ? 'its folder' : shown(each)}:\n${text}`,
        )
    }
    if (each === root) break
  }
  return parts.toReversed().join('\n\n')
}

/** When each folder without notes was looked at: a step may read a thousand files of one folder. */
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

/** Whoever reads the notes themselves needs no copy of them. */
export function markNotesShown(state: AgentState, file: string): void {
  if ((noteNames as readonly string[]).includes(path.basename(file))) state.shownNotes.add(path.dirname(file))
}
