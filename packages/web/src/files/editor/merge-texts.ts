import { diffArrays } from 'diff'

/** A version of some lines. `both` is mine and then theirs. */
export type MergeSide = 'mine' | 'base' | 'theirs' | 'both'

/** Lines that at least one side changed. */
export interface MergePlace {
  /** Lines of the base that are replaced: from (inclusive, from 0) to (exclusive). */
  from: number
  to: number
  base: readonly string[]
  mine: readonly string[]
  theirs: readonly string[]
  /** Both sides changed them, in different ways. */
  isConflict: boolean
}

export interface MergedTexts {
  text: string
  /** Places that both sides changed differently. The merged text has the person's version there. */
  conflicts: number
}

interface Hunk {
  /** Lines of the base that are replaced: from (inclusive) to (exclusive). */
  from: number
  to: number
  lines: string[]
}

/** Merges two edits of one text line by line. Where they overlap, `mine` stays. */
export function mergeTexts(base: string, mine: string, theirs: string): MergedTexts {
  const places = mergePlaces(base, mine, theirs)
  return { text: mergedText(base, places), conflicts: places.filter(({ isConflict }) => isConflict).length }
}

/** The text with one side at each place: the changed one, or the chosen one. In a conflict, `mine` unless chosen. */
export function mergedText(
  base: string,
  places: readonly MergePlace[],
  choices: Readonly<Record<number, MergeSide>> = {},
): string {
  const old = base.split('\n')
  const lines: string[] = []
  let at = 0
  for (const [index, place] of places.entries()) {
    lines.push(...old.slice(at, place.from), ...linesOf(place, choices[index]))
    at = place.to
  }
  return [...lines, ...old.slice(at)].join('\n')
}

function linesOf(place: MergePlace, side: MergeSide | undefined): readonly string[] {
  if (side === 'both') return [...place.mine, ...place.theirs]
  if (side !== undefined) return place[side]
  return place.isConflict || isEqual(place.theirs, place.base) ? place.mine : place.theirs
}

/** The places where a side differs from the base. Changes that overlap are one place. */
export function mergePlaces(base: string, mine: string, theirs: string): MergePlace[] {
  const old = base.split('\n')
  const [own, other] = [hunksOf(old, mine.split('\n')), hunksOf(old, theirs.split('\n'))]
  const groups: { from: number; to: number; own: Hunk[]; other: Hunk[] }[] = []
  const all = [
    ...own.map((hunk) => ({ hunk, side: 'own' as const })),
    ...other.map((hunk) => ({ hunk, side: 'other' as const })),
  ]
  for (const { hunk, side } of all.toSorted((a, b) => a.hunk.from - b.hunk.from || a.hunk.to - b.hunk.to)) {
    const last = groups.at(-1)
    if (last !== undefined && overlaps(last, hunk)) {
      last.to = Math.max(last.to, hunk.to)
      last[side].push(hunk)
    } else groups.push({ from: hunk.from, to: hunk.to, own: [], other: [], [side]: [hunk] })
  }
  return groups.map(({ from, to, own: mineHunks, other: theirHunks }) => {
    const before = old.slice(from, to)
    const [changed, others] = [applied(old, from, to, mineHunks), applied(old, from, to, theirHunks)]
    const isConflict = mineHunks.length > 0 && theirHunks.length > 0 && !isEqual(changed, others)
    return { from, to, base: before, mine: changed, theirs: others, isConflict }
  })
}

/** Lines of the base in a range, with these changes. */
function applied(old: readonly string[], from: number, to: number, hunks: readonly Hunk[]): string[] {
  const lines: string[] = []
  let at = from
  for (const hunk of hunks) {
    lines.push(...old.slice(at, hunk.from), ...hunk.lines)
    at = hunk.to
  }
  return [...lines, ...old.slice(at, to)]
}

function isEqual(one: readonly string[], other: readonly string[]): boolean {
  return one.length === other.length && one.every((line, index) => line === other[index])
}

function hunksOf(before: string[], after: string[]): Hunk[] {
  const hunks: Hunk[] = []
  let at = 0
  let open: Hunk | undefined
  for (const { added, removed, value } of diffArrays(before, after, { maxEditLength: 20_000 }) ?? [
    { added: false, removed: true, value: before },
    { added: true, removed: false, value: after },
  ]) {
    if (!added && !removed) {
      at += value.length
      open = undefined
      continue
    }
    open ??= hunks[hunks.push({ from: at, to: at, lines: [] }) - 1]
    if (open === undefined) continue
    if (added) open.lines.push(...value)
    else {
      at += value.length
      open.to = at
    }
  }
  return hunks
}

/** Two insertions at one place overlap, too: their order is unknown. */
function overlaps(a: { from: number; to: number }, b: Hunk): boolean {
  if (a.from === b.from) return true
  return a.from < b.to && b.from < a.to
}
