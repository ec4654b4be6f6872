import { Buffer } from 'node:buffer'
import { countNewlines, findBytes, type Yielder } from './scan-bytes.ts'

/** Explains why a text was not found and shows the closest match, so that the next attempt can succeed. */
export async function closestMatchMessage(
  text: string,
  { oldText, newText }: { oldText: string; newText: string },
  rest: Yielder,
): Promise<string> {
  const head = 'old_string is not in the file.'
  const wanted = oldText.replaceAll('\r\n', '\n').split('\n')
  if (wanted.every((line) => line.trim() === '' || /^\s*\d+\t/.test(line))) {
    return `${head} It starts with the line numbers that Read adds. Remove them and the tab after them.`
  }
  const already = await findLineNumber(text, newText, rest)
  if (already !== undefined) {
    return `${head} new_string is already there, at line ${already}. This edit may have been made before.`
  }
  if (oldText.includes('�')) {
    return `${head} It contains "�", which stands for bytes that are not valid text. Leave that part out.`
  }
  const lines = text.slice(0, maxText).replaceAll('\r\n', '\n').split('\n')
  if (rest.due()) await rest.yield()
  const closest = (await closestLines(lines, wanted, rest)) ?? (await mostSimilarLine(lines, wanted, rest))
  if (closest !== undefined) return `${head} ${closest}`
  return `${head} There is no close match. Read the file again and copy the text exactly.`
}

/** Maximum characters of a file searched for close matches. */
const maxText = 2 ** 23
/** Characters of a line that are compared. */
const maxLine = 1000
/** Maximum lines of the wanted text that are compared. */
const maxWanted = 2000
/** Maximum votes, and maximum candidates that are compared in full. */
const maxVotes = 200_000
const maxPlaces = 50
const maxBigramCharacters = 2_000_000

function normalizeLine(line: string): string {
  const short = line.length > maxLine ? line.slice(0, maxLine) : line
  return plainPunctuation(short).trim().replace(/\s+/g, ' ').toLowerCase()
}

/**
 * Finds the position where most lines agree. Each line votes for the positions that would align it with the file,
 * rarest lines first. The top positions are compared in full.
 */
export async function closestLines(
  lines: readonly string[],
  given: readonly string[],
  rest: Yielder,
): Promise<string | undefined> {
  const wanted = given.slice(0, maxWanted)
  const wantedKeys = wanted.map(normalizeLine)
  const sought = new Map<string, number[]>(wantedKeys.filter((key) => key.length >= 3).map((key) => [key, []]))
  const keys: string[] = []
  for (const [index, line] of lines.entries()) {
    const key = normalizeLine(line)
    keys.push(key)
    sought.get(key)?.push(index)
    if (index % 256 === 0 && rest.due()) await rest.yield()
  }
  const votes = new Map<number, number>()
  let left = maxVotes
  const rarest = wantedKeys
    .map((key, index) => ({ index, places: sought.get(key) ?? [] }))
    .filter(({ places }) => places.length > 0)
    .toSorted((a, b) => a.places.length - b.places.length || a.index - b.index)
  for (const { index, places } of rarest) {
    for (const found of places.slice(0, left)) votes.set(found - index, (votes.get(found - index) ?? 0) + 1)
    left -= places.length
    if (left <= 0) break
    if (rest.due()) await rest.yield()
  }
  let best: { at: number; score: number } | undefined
  for (const at of mostVoted(votes)) {
    const score = wantedKeys.filter((one, offset) => one !== '' && keys[at + offset] === one).length
    if (best === undefined || score > best.score) best = { at, score }
  }
  return best === undefined ? undefined : describeMismatch(lines, given, best.at)
}

/** Returns the positions with the most votes. Ties go in file order. */
function mostVoted(votes: ReadonlyMap<number, number>): number[] {
  const ranks = [...votes.values()].toSorted((a, b) => b - a)
  const least = ranks[Math.min(maxPlaces, ranks.length) - 1] ?? 0
  return [...votes]
    .filter(([, count]) => count >= least)
    .toSorted((a, b) => b[1] - a[1] || a[0] - b[0])
    .slice(0, maxPlaces)
    .map(([at]) => at)
}

function describeMismatch(lines: readonly string[], wanted: readonly string[], at: number): string | undefined {
  const differing = wanted.findIndex((line, offset) => lines[at + offset] !== line)
  if (differing === -1) return undefined
  const there = lines[at + differing]
  const where = `The closest match is lines ${Math.max(1, at + 1)}-${Math.min(lines.length, at + wanted.length)}.`
  const gave = `you gave ${quoted(wanted[differing] ?? '')}`
  if (at + differing < 0) {
    const extra = -at === 1 ? 'one line' : `${-at} lines`
    return `${where} Your text starts ${extra} before the file does: ${gave} first.`
  }
  if (there === undefined) return `${where} The file ends before line ${at + differing + 1}.`
  return `${where} Line ${at + differing + 1} differs: the file has ${quoted(there)}, ${gave}.`
}

async function mostSimilarLine(
  lines: readonly string[],
  wanted: readonly string[],
  rest: Yielder,
): Promise<string | undefined> {
  const target = wanted.reduce((best, line) => (line.trim().length > best.trim().length ? line : best), '')
  const pairs = bigrams(normalizeLine(target))
  if (pairs.size < 3) return undefined
  let best = { index: -1, score: 0.6 }
  let left = maxBigramCharacters
  for (const [index, line] of lines.entries()) {
    if (line.length > maxLine) continue
    left -= line.length
    if (left < 0) break
    const own = bigrams(normalizeLine(line))
    let shared = 0
    for (const pair of own) if (pairs.has(pair)) shared++
    const score = (2 * shared) / (own.size + pairs.size)
    if (score > best.score) best = { index, score }
    if (index % 64 === 0 && rest.due()) await rest.yield()
  }
  if (best.index === -1) return undefined
  return `The closest line is ${best.index + 1}: the file has ${quoted(lines[best.index] ?? '')}, you gave ${quoted(target)}.`
}

function bigrams(text: string): Set<string> {
  const pairs = new Set<string>()
  for (let at = 0; at + 1 < text.length; at++) pairs.add(text.slice(at, at + 2))
  return pairs
}

/** Undefined if not found or too short to be meaningful. */
async function findLineNumber(text: string, wanted: string, rest: Yielder): Promise<number | undefined> {
  if (wanted.trim().length <= 3) return undefined
  const [bytes, needle] = [Buffer.from(text.slice(0, maxText)), Buffer.from(wanted)]
  const [at] = await findBytes(bytes, needle, { start: 0, unitBytes: 1, apart: true, limit: 1 }, rest)
  return at === undefined ? undefined : countNewlines(bytes.subarray(0, at)) + 1
}

function quoted(line: string): string {
  return JSON.stringify(line.length > 200 ? `${line.slice(0, 200)}…` : line)
}

/** Groups of characters that look alike, plain one first. */
const families = [
  "'\u2018\u2019\u201a\u201b\u2032",
  '"\u201c\u201d\u201e\u201f\u2033',
  '-\u2010\u2011\u2012\u2013\u2014\u2015\u2212',
  ' \u00a0\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u202f\u205f\u3000',
].map((family) => family.split(''))

const familyByCharacter = new Map(families.flatMap((family) => family.map((character) => [character, family] as const)))

/** All variants of a character: typographic, composed, and decomposed. */
export function lookalikes(character: string): string[] {
  const family = familyByCharacter.get(character)
  if (family !== undefined) return family
  const decomposed = character.normalize('NFD')
  return decomposed === character ? [character] : [character, decomposed]
}

export function plainCharacters(text: string): string {
  return text.replace(/[^\0-\x7f]/gu, (character) => familyByCharacter.get(character)?.[0] ?? character)
}

/** Normalizes to NFC, with plain quotes, dashes, and spaces. */
export function plainPunctuation(text: string): string {
  return plainCharacters(text.normalize('NFC'))
}
