import type { Replacement, TextEdit } from './text-edit.ts'
import type { TextUnits } from './text-units.ts'

/** Every place where the text is, letter by letter. Overlapping places count when only one may be meant. */
export function findExactly(file: TextUnits, edit: TextEdit): Replacement[] {
  const { oldText, newText, all } = edit
  if (!file.canEncode(oldText)) return []
  const needsEndings = (oldText.includes('\n') || newText.includes('\n')) && hasCrlf(file)
  if (needsEndings) return findAcrossEndings(file, edit)
  const bytes = file.toBytes(file.encode(newText))
  const length = file.toBytes(file.encode(oldText)).length
  return startsOf(file, oldText, all).map((start) => ({ start, end: start + length, bytes }))
}

export function hasCrlf(file: TextUnits): boolean {
  return file.isNarrow ? file.bytes.includes('\r\n') : file.units().includes('\r\n')
}

function startsOf(file: TextUnits, text: string, all: boolean): number[] {
  const units = file.encode(text)
  const step = all ? units.length : 1
  if (!file.isNarrow) return indexesOf(file.units(), units, step).map((unit) => file.byteAt(unit))
  const needle = file.toBytes(units)
  const starts: number[] = []
  for (let at = file.bytes.indexOf(needle, file.mark); at !== -1; at = file.bytes.indexOf(needle, at + step))
    starts.push(at)
  return starts
}

function indexesOf(text: string, wanted: string, step: number): number[] {
  const found: number[] = []
  for (let at = text.indexOf(wanted); at !== -1; at = text.indexOf(wanted, at + step)) found.push(at)
  return found
}

/**
 * In a file with CRLF a line feed of the model stands for either ending. What old and new text have in common at both
 * ends keeps its bytes; what is put between ends its lines as its surroundings do.
 */
function findAcrossEndings(file: TextUnits, { oldText, newText, all }: TextEdit): Replacement[] {
  const raw = file.units()
  const plain = raw.replaceAll('\r\n', '\n')
  const [oldUnits, newUnits] = [file.encode(oldText), file.encode(newText)]
  const { start, end } = commonEnds(oldUnits, newUnits)
  const inserted = newUnits.slice(start, newUnits.length - end)
  const toRaw = rawOffsets(raw)
  return indexesOf(plain, oldUnits, all ? oldUnits.length : 1).map((at) => {
    const from = toRaw(at + start)
    const to = toRaw(at + oldUnits.length - end)
    const ending = endingAt(raw, from, to)
    return { start: file.byteAt(from), end: file.byteAt(to), bytes: file.toBytes(inserted.replaceAll('\n', ending)) }
  })
}

/** How many units at the start and at the end are the same, without overlap and without parting a character. */
export function commonEnds(oldUnits: string, newUnits: string): { start: number; end: number } {
  const limit = Math.min(oldUnits.length, newUnits.length)
  let start = 0
  while (start < limit && oldUnits[start] === newUnits[start]) start++
  let end = 0
  while (end < limit - start && oldUnits.at(-end - 1) === newUnits.at(-end - 1)) end++
  if (isHighSurrogate(oldUnits, start - 1) || isHighSurrogate(newUnits, start - 1)) start--
  if (end > 0 && (isLowSurrogate(oldUnits, oldUnits.length - end) || isLowSurrogate(newUnits, newUnits.length - end)))
    end--
  return { start, end }
}

/** How lines end at a place: as most do inside it, else as the one before it does, else as the next. */
export function endingAt(raw: string, from: number, to: number): '\n' | '\r\n' {
  const inside = raw.slice(from, to)
  const feeds = inside.split('\n').length - 1
  if (feeds > 0) return (inside.split('\r\n').length - 1) * 2 >= feeds ? '\r\n' : '\n'
  const before = from === 0 ? -1 : raw.lastIndexOf('\n', from - 1)
  const near = before === -1 ? raw.indexOf('\n', to) : before
  return near > 0 && raw[near - 1] === '\r' ? '\r\n' : '\n'
}

/** From a place in the text without carriage returns to the same in the raw one. Quick when asked in rising order. */
function rawOffsets(raw: string): (plain: number) => number {
  let passed = 0
  let next = raw.indexOf('\r\n')
  let last = 0
  return (plain) => {
    if (plain < last) [passed, next] = [0, raw.indexOf('\r\n')]
    last = plain
    while (next !== -1 && next - passed < plain) {
      passed++
      next = raw.indexOf('\r\n', next + 2)
    }
    return plain + passed
  }
}

function isHighSurrogate(text: string, at: number): boolean {
  const code = text.charCodeAt(at)
  return code >= 0xd800 && code <= 0xdbff
}

function isLowSurrogate(text: string, at: number): boolean {
  const code = text.charCodeAt(at)
  return code >= 0xdc00 && code <= 0xdfff
}
