import { plainPunctuation } from './lookalikes.ts'

/** Why a text was not found, with the place that comes closest, so that the next attempt can hit. */
export function nearMissText(text: string, { oldText, newText }: { oldText: string; newText: string }): string {
  const head = 'old_string is not in the file.'
  const lines = text.split('\n').map((line) => line.replace(/\r$/, ''))
  const wanted = oldText.replaceAll('\r\n', '\n').split('\n')
  if (wanted.every((line) => line.trim() === '' || /^\s*\d+\t/.test(line))) {
    return `${head} It begins with the line numbers that Read shows: leave those and the tab after them out.`
  }
  const already = newText.trim().length > 3 ? text.indexOf(newText) : -1
  if (already !== -1) {
    return `${head} new_string is there already, at line ${lineAt(text, already)}: perhaps this was done before.`
  }
  if (oldText.includes('�')) {
    return `${head} It has a � in it, which stands for bytes that are no valid text. Leave that part out.`
  }
  const closest = closestRun(lines, wanted) ?? likestLine(lines, wanted)
  if (closest !== undefined) return `${head} ${closest}`
  return `${head} Nothing in it comes close. Read the file again and copy the text exactly.`
}

/** Lines are compared without what is easily mistaken. */
function keyOf(line: string): string {
  return plainPunctuation(line).trim().replace(/\s+/g, ' ').toLowerCase()
}

/** The place where most lines agree around one that does. */
export function closestRun(lines: readonly string[], wanted: readonly string[]): string | undefined {
  const keys = lines.map(keyOf)
  const wantedKeys = wanted.map(keyOf)
  let best: { at: number; score: number } | undefined
  wantedKeys.forEach((key, index) => {
    if (key.length < 3) return
    for (let found = keys.indexOf(key); found !== -1; found = keys.indexOf(key, found + 1)) {
      const at = found - index
      const score = wantedKeys.filter((one, offset) => one !== '' && keys[at + offset] === one).length
      if (best === undefined || score > best.score) best = { at, score }
    }
  })
  if (best === undefined) return undefined
  const { at } = best
  const differing = wanted.findIndex((line, offset) => lines[at + offset] !== line)
  if (differing === -1) return undefined
  const there = lines[at + differing]
  const where = `The closest place is lines ${Math.max(1, at + 1)}-${Math.min(lines.length, at + wanted.length)}.`
  if (there === undefined) return `${where} The file ends before line ${at + differing + 1}.`
  return `${where} Line ${at + differing + 1} differs: the file has ${quoted(there)}, you gave ${quoted(wanted[differing] ?? '')}.`
}

/** The one line that is most like the longest line wanted. */
function likestLine(lines: readonly string[], wanted: readonly string[]): string | undefined {
  const target = wanted.toSorted((a, b) => b.trim().length - a.trim().length)[0] ?? ''
  const pairs = pairsOf(keyOf(target))
  if (pairs.size < 3) return undefined
  let best = { index: -1, score: 0.6 }
  lines.slice(0, 20_000).forEach((line, index) => {
    if (line.length > 1000) return
    const own = pairsOf(keyOf(line))
    let shared = 0
    for (const pair of own) if (pairs.has(pair)) shared++
    const score = (2 * shared) / (own.size + pairs.size)
    if (score > best.score) best = { index, score }
  })
  if (best.index === -1) return undefined
  return `The closest line is ${best.index + 1}: the file has ${quoted(lines[best.index] ?? '')}, you gave ${quoted(target)}.`
}

function pairsOf(text: string): Set<string> {
  const pairs = new Set<string>()
  for (let at = 0; at + 1 < text.length; at++) pairs.add(text.slice(at, at + 2))
  return pairs
}

function lineAt(text: string, at: number): number {
  return text.slice(0, at).split('\n').length
}

function quoted(line: string): string {
  return JSON.stringify(line.length > 200 ? `${line.slice(0, 200)}…` : line)
}
