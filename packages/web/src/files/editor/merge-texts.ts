import { diffArrays } from 'diff'

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
  if (mine === theirs || theirs === base) return { text: mine, conflicts: 0 }
  if (mine === base) return { text: theirs, conflicts: 0 }
  const old = base.split('\n')
  const [own, other] = [hunksOf(old, mine.split('\n')), hunksOf(old, theirs.split('\n'))]
  const kept: Hunk[] = [...own]
  let conflicts = 0
  for (const hunk of other) {
    const rivals = own.filter((one) => overlaps(one, hunk))
    if (rivals.length === 0) kept.push(hunk)
    else if (!rivals.some((one) => isSame(one, hunk))) conflicts++
  }
  const lines: string[] = []
  let at = 0
  for (const { from, to, lines: added } of kept.toSorted((a, b) => a.from - b.from || a.to - b.to)) {
    lines.push(...old.slice(at, from), ...added)
    at = Math.max(at, to)
  }
  return { text: [...lines, ...old.slice(at)].join('\n'), conflicts }
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
function overlaps(a: Hunk, b: Hunk): boolean {
  if (a.from === b.from) return true
  return a.from < b.to && b.from < a.to
}

function isSame(a: Hunk, b: Hunk): boolean {
  return a.from === b.from && a.to === b.to && a.lines.join('\n') === b.lines.join('\n')
}
