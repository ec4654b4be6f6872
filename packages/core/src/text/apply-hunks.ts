import { Buffer } from 'node:buffer'
import { closestLines, plainPunctuation } from './closest-match.ts'
import type { TextFormat } from './encoding.ts'
import { reindentFor } from './find-indented.ts'
import type { HunkLine, PatchHunk } from './parse-patch.ts'
import { createYielder, findLineRuns, type Yielder } from './scan-bytes.ts'
import { type TextLine, textUnits, type TextUnits, toLines, toLinesWithReturns } from './text-edit.ts'

/**
 * Applies the hunks of a patch in order, each after the previous one. Matches in four passes: exact, ignoring trailing
 * blanks, ignoring blanks at both ends, with plain punctuation. Kept lines keep their bytes. New lines get the line
 * ending of the line they replace or follow, and the surrounding indentation if the patch indents differently. If the
 * hunks do not match, retries with a lone carriage return as a line ending. Throws an Error for the model that names
 * the hunk.
 */
export async function applyHunks(
  bytes: Buffer,
  format: TextFormat,
  hunks: readonly PatchHunk[],
): Promise<AppliedHunks> {
  const file = textUnits(bytes, format)
  try {
    return await applyTo(file, hunks, toLines)
  } catch (error) {
    if (!/\r(?!\n)/.test(file.units())) throw error
    return await applyTo(file, hunks, toLinesWithReturns).catch(() => Promise.reject(error as Error))
  }
}

interface AppliedHunks {
  bytes: Buffer
  notes: string[]
}

async function applyTo(
  file: TextUnits,
  hunks: readonly PatchHunk[],
  split: (text: string) => TextLine[],
): Promise<AppliedHunks> {
  const rest = createYielder()
  const lines = split(file.units())
  const texts = split(file.decode()).map(({ text }) => text)
  // The empty text after the last line ending is not a line.
  if (texts.at(-1) === '') {
    texts.pop()
    lines.pop()
  }
  const seeker = createLineFinder(texts, rest)
  /** Hunks by the pass that matched them. */
  const loose = new Map<number, number[]>()
  const removed = new Set<number>()
  const added = new Map<number, AddedLine[]>()
  const appended: AddedLine[] = []
  const noteLoose = (number: number, pass: number): void => {
    const known = loose.get(pass)
    if (known === undefined) loose.set(pass, [number])
    else known.push(number)
  }
  let cursor = 0
  for (const [index, hunk] of hunks.entries()) {
    if (rest.due()) await rest.yield()
    const name = `Hunk ${index + 1} (line ${hunk.line} of the patch)`
    const place = await findHunkPosition(seeker, hunk, cursor, name)
    if (place.pass > 0) noteLoose(index + 1, place.pass)
    let at = place.at
    let lastRemoved: number | undefined
    const own = place.pass > 1 ? reindentHunk(place, texts) : place.lines
    for (const { type, text } of own) {
      if (type === 'add') {
        const line = { text: file.encode(text), like: lastRemoved ?? Math.max(0, at - 1) }
        if (place.isAppended) appended.push(line)
        else insertBefore(added, at, line)
        continue
      }
      if (type === 'remove') removed.add(at)
      lastRemoved = type === 'remove' ? at : undefined
      at++
    }
    // A hunk appended at the end does not move the cursor for later hunks.
    if (!place.isAppended) cursor = at
  }
  return {
    bytes: Buffer.concat([
      file.bytes.subarray(0, file.mark),
      file.toBytes(joinPatchedLines(lines, removed, added, appended)),
    ]),
    notes: [...loose].map(([pass, numbers]) => `${hunkNames(numbers)} matched only ${matchPasses[pass]!.note}.`),
  }
}

/** Formats as `Hunk 2`, `Hunks 1, 2 and 5`. */
function hunkNames(numbers: readonly number[]): string {
  if (numbers.length === 1) return `Hunk ${numbers[0]}`
  const shown = numbers.slice(0, 10)
  return numbers.length > shown.length
    ? `Hunks ${shown.join(', ')} and ${numbers.length - shown.length} more`
    : `Hunks ${shown.slice(0, -1).join(', ')} and ${shown.at(-1)}`
}

const matchPasses = [
  { note: 'exactly', key: (text: string) => text },
  { note: 'when trailing whitespace was ignored', key: (text: string) => text.trimEnd() },
  { note: 'when leading and trailing whitespace was ignored', key: (text: string) => text.trim() },
  {
    note: 'when typographic characters were treated as plain ones',
    key: (text: string) => plainPunctuation(text).trim(),
  },
]

interface AddedLine {
  text: string
  /** Number of the line whose ending it gets. */
  like: number
}

function insertBefore(added: Map<number, AddedLine[]>, at: number, line: AddedLine): void {
  const there = added.get(at)
  if (there === undefined) added.set(at, [line])
  else there.push(line)
}

interface HunkPosition {
  at: number
  pass: number
  lines: HunkLine[]
  isAppended?: boolean
}

function reindentHunk({ at, lines }: HunkPosition, texts: readonly string[]): HunkLine[] {
  const old = lines.filter(({ type }) => type !== 'add').map(({ text }) => text)
  const there = texts.slice(at, at + old.length).map((text) => ({ text }))
  // Include kept lines, which show how the new ones are indented.
  const now = lines.filter(({ type }) => type !== 'remove')
  const text = reindentFor(
    old,
    there,
    now.map((line) => line.text),
  )?.text
  if (text === undefined) return lines
  const fitting = new Map(now.map((line, index) => [line, text[index]!]))
  return lines.map((line) => (line.type === 'add' ? { ...line, text: fitting.get(line)! } : line))
}

/** Finds lines in a file. Keys of a pass are computed once for all hunks. */
interface LineFinder {
  texts: readonly string[]
  rest: Yielder
  seek(wanted: readonly string[], from: number): Promise<{ at: number; pass: number } | undefined>
}

function createLineFinder(texts: readonly string[], rest: Yielder): LineFinder {
  const made: { keys: readonly string[]; places: Map<string, number[]> }[] = []
  const lookIn = (pass: number): (typeof made)[number] => {
    const before = made[pass]
    if (before !== undefined) return before
    const keys = pass === 0 ? texts : texts.map(matchPasses[pass]!.key)
    const places = new Map<string, number[]>()
    for (const [index, key] of keys.entries()) {
      const known = places.get(key)
      if (known === undefined) places.set(key, [index])
      else known.push(index)
    }
    return (made[pass] = { keys, places })
  }
  return {
    texts,
    rest,
    async seek(wanted, from) {
      for (const [pass, { key }] of matchPasses.entries()) {
        if (rest.due()) await rest.yield()
        const at = firstRun(lookIn(pass), wanted.map(key), from)
        if (at !== undefined) return { at, pass }
      }
      return undefined
    },
  }
}

/** Checks around the occurrences of the rarest line, or all lines if even that one is frequent. */
function firstRun(
  { keys, places }: { keys: readonly string[]; places: ReadonlyMap<string, number[]> },
  wanted: readonly string[],
  from: number,
): number | undefined {
  let rarest = { offset: 0, places: keys.length === 0 ? [] : places.get(wanted[0]!) }
  for (const [offset, key] of wanted.entries()) {
    const own = places.get(key)
    if (own === undefined) return undefined
    if (own.length < rarest.places!.length) rarest = { offset, places: own }
  }
  if (rarest.places!.length * wanted.length > 4 * keys.length) {
    const next = findLineRuns(keys, wanted, from).next()
    return next.done === true ? undefined : next.value
  }
  return rarest
    .places!.map((place) => place - rarest.offset)
    .find((at) => at >= from && wanted.every((key, offset) => keys[at + offset] === key))
}

async function findHunkPosition(
  seeker: LineFinder,
  hunk: PatchHunk,
  cursor: number,
  name: string,
): Promise<HunkPosition> {
  const { texts } = seeker
  let from = cursor
  for (const context of hunk.contexts) {
    const found = await seeker.seek([context], from)
    if (found === undefined) throw new Error(`${name}: the line after @@ is not in the file: "${context}".`)
    from = found.at + 1
  }
  const wanted = expectedLines(hunk.lines)
  if (wanted.length === 0) {
    if (hunk.contexts.length > 0 && !hunk.atEnd) return { at: from, pass: 0, lines: hunk.lines }
    return { at: texts.length, pass: 0, lines: hunk.lines, isAppended: true }
  }
  // Patches often contain an extra empty line or two before the next marker.
  let lines: HunkLine[] | undefined = hunk.lines
  for (let tries = 0; lines !== undefined && tries <= maxEmpty; tries++) {
    const own = expectedLines(lines)
    const start = hunk.atEnd ? texts.length - own.length : from
    const found = start < from ? undefined : await seeker.seek(own, start)
    if (found !== undefined) return { ...found, lines }
    lines = withoutLastEmpty(lines)
  }
  throw new Error(await hunkMismatchMessage(seeker, wanted, hunk, cursor, name))
}

const maxEmpty = 5

function expectedLines(lines: readonly HunkLine[]): string[] {
  return lines.filter(({ type }) => type !== 'add').map(({ text }) => text)
}

function withoutLastEmpty(lines: HunkLine[]): HunkLine[] | undefined {
  const last = lines.findLastIndex(({ type }) => type !== 'add')
  const isEmpty = last >= 0 && lines[last]?.text === '' && lines.slice(0, last).some(({ type }) => type !== 'add')
  return isEmpty ? lines.toSpliced(last, 1) : undefined
}

async function hunkMismatchMessage(
  { texts, seek, rest }: LineFinder,
  wanted: readonly string[],
  hunk: PatchHunk,
  cursor: number,
  name: string,
): Promise<string> {
  const earlier = cursor > 0 ? await seek(wanted, 0) : undefined
  if (hunk.atEnd && (await seek(wanted, cursor)) !== undefined) {
    return `${name}: its lines are in the file, but not at the end as "*** End of File" requires.`
  }
  if (earlier !== undefined) {
    return `${name}: its lines are at line ${earlier.at + 1}, before those of the previous hunk. Give hunks in file order.`
  }
  const closest = await closestLines(texts, wanted, rest)
  const shown = wanted.slice(0, 6).map(truncateLine).join('\n')
  return `${name}: these lines are not in the file${cursor > 0 ? ' after the previous hunk' : ''}:\n${shown}\n${closest ?? 'Read the file again and copy them exactly.'}`
}

function truncateLine(line: string): string {
  return line.length > 200 ? `${line.slice(0, 200)}…` : line
}

function joinPatchedLines(
  lines: readonly TextLine[],
  removed: Set<number>,
  added: Map<number, AddedLine[]>,
  appended: AddedLine[],
): string {
  const usual = lines.find(({ ending }) => ending !== undefined)?.ending ?? '\n'
  // With mixed line endings, the previous line is no indication.
  const isMixed = lines.some(({ ending }) => ending === '\r')
  const endingOf = (like: number): TextLine['ending'] => (isMixed ? usual : (lines[like]?.ending ?? usual))
  let text = ''
  let open = false
  const put = (content: string, ending: TextLine['ending']): void => {
    if (open) text += usual
    text += content + (ending ?? '')
    open = ending === undefined
  }
  for (let index = 0; index <= lines.length; index++) {
    for (const { text: content, like } of added.get(index) ?? []) put(content, endingOf(like))
    const line = lines[index]
    if (line !== undefined && !removed.has(index)) put(line.text, line.ending)
  }
  for (const { text: content, like } of appended) put(content, endingOf(like))
  return text
}
