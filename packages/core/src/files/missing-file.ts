import { existsSync, readdirSync } from 'node:fs'
import path from 'node:path'
import { plainPunctuation } from '../text/closest-match.ts'
import { printablePath } from '../text/format.ts'
import type { AgentState } from '../tool/agent-state.ts'
import { isInside, type ResolvedPath, shownPath } from './resolve-path.ts'

export function missingFileMessage(
  { path: real, shown }: ResolvedPath,
  state: Pick<AgentState, 'roots' | 'cwd'>,
): string {
  const near = similarPaths(real, state.roots).map((one) => printablePath(shownPath(one, state.cwd)))
  if (near.length > 0) return `${shown} does not exist. Did you mean ${near.join(', or ')}?`
  return `${shown} does not exist. Find it with Glob or ListDir. Relative paths start at ${state.cwd}.`
}

/**
 * Finds the one name in the same folder that looks the same but differs in spaces, quotes, dashes, or Unicode
 * composition. macOS screenshot names contain a narrow space that nobody can type.
 */
export function lookalikePath(missing: string): string | undefined {
  const [folder, wanted] = [path.dirname(missing), plainPunctuation(path.basename(missing))]
  const found = listNames(folder).filter((name) => plainPunctuation(name) === wanted)
  return found.length === 1 ? path.join(folder, found[0]!) : undefined
}

/** Suggests up to three existing paths, likeliest first. */
function similarPaths(missing: string, roots: readonly string[]): string[] {
  const root = roots.find((one) => isInside(missing, one))
  if (root === undefined) return []
  const segments = path.relative(root, missing).split(path.sep)
  let folder = root
  while (segments.length > 1 && existsSync(path.join(folder, segments[0] ?? '')))
    folder = path.join(folder, segments.shift() ?? '')
  const [wanted = '', ...rest] = segments
  return similarNames(wanted, listNames(folder))
    .map((name) => path.join(folder, name, ...rest))
    .filter((candidate) => rest.length === 0 || existsSync(candidate))
    .slice(0, 3)
}

function similarNames(wanted: string, names: readonly string[]): string[] {
  const scored = names
    .map((name) => ({ name, distance: nameDistance(wanted.toLowerCase(), name.toLowerCase()) }))
    .filter(({ distance }) => distance <= Math.max(2, wanted.length / 3))
  return scored.toSorted((a, b) => a.distance - b.distance || (a.name < b.name ? -1 : 1)).map(({ name }) => name)
}

/** Returns 0 if only case differs. Adds one for another extension and one per typo. */
function nameDistance(wanted: string, name: string): number {
  if (wanted === name) return 0
  const [stem, other] = [path.parse(wanted).name, path.parse(name).name]
  if (stem !== '' && stem === other) return 1
  return editDistance(wanted, name)
}

/** Counts insertions, deletions, replacements, and swaps. Skips long names to bound the work. */
function editDistance(a: string, b: string): number {
  if (Math.abs(a.length - b.length) > 4 || a.length > 100) return Infinity
  let [beforeLast, last, current]: number[][] = [[], Array.from({ length: b.length + 1 }, (_, index) => index), []]
  for (let i = 1; i <= a.length; i++) {
    current = [i]
    for (let j = 1; j <= b.length; j++) {
      const cost = a[i - 1] === b[j - 1] ? 0 : 1
      let best = Math.min(last![j]! + 1, current[j - 1]! + 1, last![j - 1]! + cost)
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1])
        best = Math.min(best, beforeLast![j - 2]! + 1)
      current.push(best)
    }
    ;[beforeLast, last] = [last, current]
  }
  return last![b.length]!
}

function listNames(folder: string): string[] {
  try {
    return readdirSync(folder)
  } catch {
    return []
  }
}
