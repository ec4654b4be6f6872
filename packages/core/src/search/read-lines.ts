import { Buffer, isUtf8 } from 'node:buffer'
import { constants } from 'node:fs'
import { open } from 'node:fs/promises'
import { stripDotSlash } from './search-query.ts'

export interface FoundLine {
  number: number
  /** At most 500 characters, with marks where it was cut. */
  text: string
  /** False: a line around a match. */
  match: boolean
  /** The match is in none of the text: its place in the file, and how many bytes of the line come before it. */
  far?: { at: number; before: number }
}

export interface LineHandler {
  onLine(path: string, line: FoundLine): void
  onBinary(path: string): void
}

/**
 * Reads ripgrep's lines as they come: `path NUL number:column:offset:text` of a match, `path NUL number-offset-text`
 * around one.
 */
export function parseRipgrepLines({ onLine, onBinary }: LineHandler): (text: string) => void {
  let rest = ''
  return (text) => {
    rest += text
    let at = 0
    for (;;) {
      const end = rest.indexOf('\n', at)
      if (end === -1) break
      const note = /^([^]*): (?:binary file matches|WARNING: stopped searching binary file) .*offset \d+\)$/.exec(
        rest.slice(at, end),
      )
      const nul = rest.indexOf('\0', at)
      if (note !== null && (nul === -1 || nul > end)) {
        onBinary(stripDotSlash(note[1]!))
        at = end + 1
        continue
      }
      // A line break before the NUL belongs to the name.
      const close = nul === -1 ? -1 : rest.indexOf('\n', nul)
      if (close === -1) break
      parseRipgrepLine(stripDotSlash(rest.slice(at, nul)), rest.slice(nul + 1, close), onLine)
      at = close + 1
    }
    rest = rest.slice(at)
  }
}

function parseRipgrepLine(path: string, text: string, onLine: LineHandler['onLine']): void {
  const found = /^(\d+)(?::(\d+):(\d+):|-\d+-)/.exec(text)
  if (found === null) throw new Error(`The search answered with a line that cannot be read: ${text.slice(0, 200)}`)
  const [, number, column, lineStart] = found
  const line = text.slice(found[0].length).replace(/\r$/, '')
  if (column === undefined) return onLine(path, { number: Number(number), text: cutLine(line, 0), match: false })
  const before = Number(column) - 1
  const printed = line.replace(ripgrepCut, '')
  const isFar = printed.length < line.length && before > Buffer.byteLength(printed) - shownBefore
  onLine(path, {
    number: Number(number),
    text: cutLine(line, charactersIn(printed, before)),
    match: true,
    ...(isFar && { far: { at: Number(lineStart) + before, before } }),
  })
}

const maxLineLength = 500
const shownBefore = 100
const ripgrepCut = / \[\.\.\. (?:\d+ more match(?:es)?|omitted end of long line)\]$/

/** Ripgrep counts bytes. */
function charactersIn(line: string, bytes: number): number {
  return bytes < maxLineLength - shownBefore ? bytes : Buffer.from(line).toString('utf8', 0, bytes).length
}

/** What is shown of a long line begins a little before its first match. */
export function cutLine(line: string, matchAt: number): string {
  const whole = line.replace(ripgrepCut, '')
  const isCut = whole.length < line.length && whole.length > maxLineLength
  if (whole.length <= maxLineLength) return line
  const from =
    matchAt < maxLineLength - shownBefore || matchAt >= whole.length
      ? 0
      : Math.min(matchAt - shownBefore, whole.length - maxLineLength)
  const left = whole.length - from - maxLineLength
  const before = from > 0 ? `[${from} characters] … ` : ''
  const after = left > 0 || isCut ? ` … [${isCut ? 'more than ' : ''}${left} more characters]` : ''
  return before + whole.slice(from, from + maxLineLength).toWellFormed() + after
}

/** The part of a line around a match that ripgrep did not print, read from the file. Undefined where it cannot be. */
export async function readAroundMatch(
  file: string,
  { at, before }: NonNullable<FoundLine['far']>,
): Promise<string | undefined> {
  try {
    await using handle = await open(file, constants.O_RDONLY | constants.O_NONBLOCK)
    const lead = Math.min(before, shownBefore)
    const bytes = Buffer.alloc(maxLineLength)
    const { bytesRead } = await handle.read(bytes, 0, maxLineLength, at - lead)
    const window = bytes.subarray(0, bytesRead)
    // Offsets of a file that ripgrep had to transcode are none of its own.
    if (!isUtf8(trimPartialCharacters(window))) return undefined
    const [line = '', ...rest] = trimPartialCharacters(window).toString().split('\n')
    return `[${before - lead} bytes] … ${line.replace(/\r$/, '')}${rest.length > 0 ? '' : ' … [more]'}`
  } catch {
    return undefined
  }
}

/** Without a character that the ends part. */
function trimPartialCharacters(bytes: Buffer): Buffer {
  let [start, end] = [0, bytes.length]
  while (start < Math.min(3, end) && (bytes[start]! & 0xc0) === 0x80) start++
  let lead = end - 1
  while (lead > start && end - lead < 4 && (bytes[lead]! & 0xc0) === 0x80) lead--
  const length = bytes[lead]! >= 0xf0 ? 4 : bytes[lead]! >= 0xe0 ? 3 : bytes[lead]! >= 0xc0 ? 2 : 1
  if (lead + length > end) end = lead
  return bytes.subarray(start, end)
}
