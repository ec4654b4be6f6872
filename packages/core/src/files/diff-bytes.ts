import { Buffer } from 'node:buffer'
import { countNewlines } from './count-newlines.ts'
import { bomBytes, decodeText, type TextFormat } from './encoding.ts'
import { applyPlan, type Replacement } from './text-edit.ts'

export interface TextDiff {
  /** Unified hunks without file headers. Empty when the text is the same. */
  diff: string
  added: number
  removed: number
  /** The diff was too long and ends early; the counts are those of the whole. */
  cut?: true
}

export interface DiffSide {
  bytes: Buffer
  format: TextFormat
}

const context = 3
const maxCharacters = 16_000
const maxMilliseconds = 200
const newline = 10

/**
 * What changed between two versions of a file. Only the stretch between the first and the last difference is looked
 * at closely, so a small change in a long file costs next to nothing.
 */
export async function diffBytes(before: DiffSide | undefined, after: DiffSide | undefined): Promise<TextDiff> {
  const [old, now] = [asUtf8(before), asUtf8(after)]
  const from = lineStart(old, commonStart(old, now), context)
  const tail = Math.min(commonEnd(old, now), old.length - from, now.length - from)
  const [oldEnd, nowEnd] = [lineEnd(old, old.length - tail, context), lineEnd(now, now.length - tail, context)]
  return diffTexts(old.toString('utf8', from, oldEnd), now.toString('utf8', from, nowEnd), old.subarray(0, from))
}

/** The same where it is known which bytes were replaced, so that nothing has to be compared. */
export async function diffReplacements(
  { bytes, format }: DiffSide,
  replacements: readonly Replacement[],
): Promise<TextDiff> {
  const isWide = format.encoding.startsWith('utf-16')
  if (isWide) return diffBytes({ bytes, format }, { bytes: Buffer.concat(applyPlan(bytes, { replacements })), format })
  const mark = bomBytes(format).length
  const from = Math.max(mark, lineStart(bytes, replacements[0]?.start ?? 0, context))
  const to = lineEnd(bytes, replacements.at(-1)?.end ?? 0, context)
  const inside = replacements.map((one) => ({ ...one, start: one.start - from, end: one.end - from }))
  const old = bytes.subarray(from, to)
  const now = Buffer.concat(applyPlan(old, { replacements: inside }))
  const plain = { ...format, bom: false }
  return diffTexts(decodeText(old, plain), decodeText(now, plain), bytes.subarray(0, from))
}

/** `above`: what comes before both, for the numbers of the lines. */
async function diffTexts(oldText: string, nowText: string, above: Buffer): Promise<TextDiff> {
  if (oldText === nowText) return { diff: '', added: 0, removed: 0 }
  const first = countNewlines(above)
  const { structuredPatch } = await import('diff')
  const patch = structuredPatch('', '', oldText, nowText, '', '', { context, timeout: maxMilliseconds })
  return patch === undefined ? replacedWhole(oldText, nowText, first) : formatted(patch.hunks, first)
}

interface Hunk {
  oldStart: number
  oldLines: number
  newStart: number
  newLines: number
  lines: string[]
}

function formatted(hunks: readonly Hunk[], first: number): TextDiff {
  const result: TextDiff = { diff: '', added: 0, removed: 0 }
  for (const { oldStart, oldLines, newStart, newLines, lines } of hunks) {
    for (const line of lines) {
      if (line.startsWith('+')) result.added++
      else if (line.startsWith('-')) result.removed++
    }
    if (result.cut) continue
    const head = `@@ -${span(oldStart + first, oldLines)} +${span(newStart + first, newLines)} @@`
    const text = [head, ...lines.map((line) => line.replace(/\r$/, ''))].join('\n')
    if (result.diff.length + text.length > maxCharacters) {
      result.cut = true
      result.diff += text.slice(0, Math.max(0, maxCharacters - result.diff.length)).replace(/[^\n]*$/, '')
    } else result.diff += `${text}\n`
  }
  return result
}

/** Two texts so different that comparing them would take too long. */
function replacedWhole(oldText: string, nowText: string, first: number): TextDiff {
  const [removed, added] = [splitLines(oldText), splitLines(nowText)]
  return formatted(
    [
      {
        oldStart: 1,
        oldLines: removed.length,
        newStart: 1,
        newLines: added.length,
        lines: [...removed.map((line) => `-${line}`), ...added.map((line) => `+${line}`)],
      },
    ],
    first,
  )
}

function splitLines(text: string): string[] {
  const lines = text.split('\n')
  if (lines.at(-1) === '') lines.pop()
  return lines
}

function span(start: number, count: number): string {
  if (count === 0) return `${start - 1},0`
  return count === 1 ? String(start) : `${start},${count}`
}

function asUtf8(side: DiffSide | undefined): Buffer {
  if (side === undefined) return Buffer.alloc(0)
  const { bytes, format } = side
  if (format.encoding === 'utf-8') return format.bom ? bytes.subarray(3) : bytes
  return Buffer.from(decodeText(bytes, format))
}

const block = 2 ** 16

/** How many bytes at the start are the same. Whole blocks are compared by the machine, the last one by us. */
function commonStart(a: Buffer, b: Buffer): number {
  const end = Math.min(a.length, b.length)
  let at = 0
  while (at + block <= end && a.compare(b, at, at + block, at, at + block) === 0) at += block
  while (at < end && a[at] === b[at]) at++
  return at
}

function commonEnd(a: Buffer, b: Buffer): number {
  const end = Math.min(a.length, b.length)
  let length = 0
  const [endA, endB] = [a.length, b.length]
  while (
    length + block <= end &&
    a.compare(b, endB - length - block, endB - length, endA - length - block, endA - length) === 0
  ) {
    length += block
  }
  while (length < end && a[endA - length - 1] === b[endB - length - 1]) length++
  return length
}

/** The start of the line that many lines above the one at this byte. */
function lineStart(bytes: Buffer, at: number, above: number): number {
  let start = at
  for (let count = 0; count <= above; count++) {
    const found = start === 0 ? -1 : bytes.lastIndexOf(newline, start - 1)
    if (found === -1) return 0
    start = count === above ? found + 1 : found
  }
  return start
}

/** The end of the line that many lines below the one at this byte. */
function lineEnd(bytes: Buffer, at: number, below: number): number {
  let end = at
  for (let count = 0; count <= below; count++) {
    const found = bytes.indexOf(newline, end)
    if (found === -1) return bytes.length
    end = found + 1
  }
  return end
}
