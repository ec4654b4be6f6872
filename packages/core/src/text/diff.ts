import { Buffer } from 'node:buffer'
import { hash } from 'node:crypto'
import type { DiffDisplay } from '@troupe/protocol'
import { bomBytes, decodeText, type TextFormat } from './encoding.ts'
import { countNewlines, createYielder } from './scan-bytes.ts'
import { applyReplacements, type Replacement } from './text-edit.ts'

export interface TextDiff {
  /** Unified hunks without file headers. Empty if the texts are equal. */
  diff: string
  added: number
  removed: number
  /** The diff was too long and is truncated. The counts cover all of it. */
  cut?: true
}

export interface DiffSide {
  bytes: Buffer
  format: TextFormat
}

const contextLines = 3
const maxCharacters = 16_000
/** About 40 ms of work. A limit of time would give other hunks on a busy machine, also for a few lines. */
const maxEdits = 800
/** Longer texts are not compared line by line. */
const maxComparedText = 2 ** 20
const newline = 10

/**
 * Diffs two versions of a file. Only compares the range between the first and last difference, so a small change in a
 * large file is cheap.
 */
export async function diffBytes(
  before: DiffSide | undefined,
  after: DiffSide | undefined,
  limit = maxCharacters,
): Promise<TextDiff> {
  const [old, now] = [toUtf8(before), toUtf8(after)]
  const from = lineStart(old, commonStart(old, now), contextLines)
  const tail = Math.min(commonEnd(old, now), old.length - from, now.length - from)
  const [oldEnd, nowEnd] = [
    lineEnd(old, old.length - tail, contextLines),
    lineEnd(now, now.length - tail, contextLines),
  ]
  const first = from === 0 ? 0 : countNewlines(old.subarray(0, from))
  return diffTexts(old.toString('utf8', from, oldEnd), now.toString('utf8', from, nowEnd), first, first, limit)
}

/** Like `diffBytes` for known replacements. Only compares the lines around them. */
export async function diffReplacements(
  { bytes, format }: DiffSide,
  replacements: readonly Replacement[],
): Promise<TextDiff> {
  const isWide = format.encoding.startsWith('utf-16')
  if (isWide)
    return diffBytes({ bytes, format }, { bytes: Buffer.concat(applyReplacements(bytes, { replacements })), format })
  const mark = bomBytes(format).length
  const plain = { ...format, bom: false }
  const rest = createYielder()
  const result: TextDiff = { diff: '', added: 0, removed: 0 }
  let [line, at, compared] = [0, 0, 0]
  for (const stretch of groupReplacements(bytes, replacements)) {
    const from = Math.max(mark, stretch.from)
    const inside = stretch.replacements.map((one) => ({ ...one, start: one.start - from, end: one.end - from }))
    const old = bytes.subarray(from, stretch.to)
    if (rest.due()) await rest.yield()
    const now = Buffer.concat(applyReplacements(old, { replacements: inside }))
    if (rest.due()) await rest.yield()
    if (compared < maxCompared) {
      line += countNewlines(bytes.subarray(at, from))
      at = from
      compared += old.length + now.length + regionCost
      appendDiff(
        result,
        await diffTexts(decodeText(old, plain), decodeText(now, plain), line, line + result.added - result.removed),
      )
    } else {
      const around = countNewlines(bytes.subarray(from, lineStart(bytes, inside[0]!.start + from, 0)))
      const behind = countNewlines(bytes.subarray(lineEnd(bytes, inside.at(-1)!.end + from, 0), stretch.to))
      result.cut = true
      result.removed += countNewlines(old) - around - behind
      result.added += countNewlines(now) - around - behind
    }
    if (rest.due()) await rest.yield()
  }
  return result
}

/** Maximum bytes compared line by line. Beyond that, lines are only counted. */
const maxCompared = 2 ** 21
const regionCost = 500

interface ChangedRegion {
  from: number
  to: number
  replacements: Replacement[]
}

function groupReplacements(bytes: Buffer, replacements: readonly Replacement[]): ChangedRegion[] {
  const stretches: ChangedRegion[] = []
  let lastLine = 0
  for (const one of replacements) {
    const current = stretches.at(-1)
    if (current !== undefined && one.end < lastLine) {
      current.replacements.push(one)
      continue
    }
    lastLine = lineEnd(bytes, one.end, 0)
    const to = lineEnd(bytes, one.end, contextLines)
    const from =
      current !== undefined && one.start < current.to ? current.to : lineStart(bytes, one.start, contextLines)
    if (current !== undefined && from <= current.to) {
      current.replacements.push(one)
      current.to = to
    } else stretches.push({ from, to, replacements: [one] })
  }
  return stretches
}

function appendDiff(result: TextDiff, { diff, added, removed, cut }: TextDiff): void {
  result.added += added
  result.removed += removed
  if (result.cut) return
  const left = maxCharacters - result.diff.length
  if (cut || diff.length > left) result.cut = true
  result.diff += diff.length > left ? diff.slice(0, left).replace(/[^\n]*$/, '') : diff
}

/** Loaded on first use. */
let library: Promise<typeof import('diff')> | undefined

/** `first`, `newFirst`: number of lines before the texts. `limit`: characters of the diff. */
async function diffTexts(
  oldText: string,
  nowText: string,
  first: number,
  newFirst = first,
  limit = maxCharacters,
): Promise<TextDiff> {
  if (oldText === nowText) return { diff: '', added: 0, removed: 0 }
  if (oldText.length + nowText.length > maxComparedText) return diffAsReplacement(oldText, nowText, first, newFirst)
  const { structuredPatch } = await (library ??= import('diff'))
  const patch = structuredPatch('', '', oldText, nowText, '', '', { context: contextLines, maxEditLength: maxEdits })
  return patch === undefined
    ? diffAsReplacement(oldText, nowText, first, newFirst)
    : formatHunks(patch.hunks, first, newFirst, limit)
}

interface DiffHunk {
  oldStart: number
  oldLines: number
  newStart: number
  newLines: number
  lines: string[]
}

function formatHunks(hunks: readonly DiffHunk[], first: number, newFirst: number, limit: number): TextDiff {
  const result: TextDiff = { diff: '', added: 0, removed: 0 }
  for (const { oldStart, oldLines, newStart, newLines, lines } of hunks) {
    for (const line of lines) {
      if (line.startsWith('+')) result.added++
      else if (line.startsWith('-')) result.removed++
    }
    if (result.cut) continue
    const head = `@@ -${hunkRange(oldStart + first, oldLines)} +${hunkRange(newStart + newFirst, newLines)} @@`
    const text = [head, ...lines.map((line) => line.replace(/\r$/, ''))].join('\n')
    if (result.diff.length + text.length > limit) {
      result.cut = true
      result.diff += text.slice(0, Math.max(0, limit - result.diff.length)).replace(/[^\n]*$/, '')
    } else result.diff += `${text}\n`
  }
  return result
}

/** Shows the start of both texts if they are too long or different to compare. */
function diffAsReplacement(oldText: string, nowText: string, first: number, newFirst: number): TextDiff {
  const [removed, added] = [countLines(oldText), countLines(nowText)]
  const head = `@@ -${hunkRange(1 + first, removed)} +${hunkRange(1 + newFirst, added)} @@\n`
  const [old, now] = [prefixedStart(oldText, '-'), prefixedStart(nowText, '+')]
  const isCut = old.isCut || now.isCut
  return { diff: head + old.text + now.text, added, removed, cut: isCut || undefined }
}

function prefixedStart(text: string, mark: string): { text: string; isCut: boolean } {
  const isCut = text.length > maxCharacters / 2
  const lines = splitLines(isCut ? text.slice(0, maxCharacters / 2) : text)
  return { text: lines.map((line) => `${mark}${line.replace(/\r$/, '')}\n`).join(''), isCut }
}

function countLines(text: string): number {
  let count = text === '' || text.endsWith('\n') ? 0 : 1
  for (let at = text.indexOf('\n'); at !== -1; at = text.indexOf('\n', at + 1)) count++
  return count
}

function splitLines(text: string): string[] {
  const lines = text.split('\n')
  if (lines.at(-1) === '') lines.pop()
  return lines
}

function hunkRange(start: number, count: number): string {
  if (count === 0) return `${start - 1},0`
  return count === 1 ? String(start) : `${start},${count}`
}

function toUtf8(side: DiffSide | undefined): Buffer {
  if (side === undefined) return Buffer.alloc(0)
  const { bytes, format } = side
  if (format.encoding === 'utf-8') return format.bom ? bytes.subarray(3) : bytes
  return Buffer.from(decodeText(bytes, format))
}

const compareBlock = 2 ** 16

/** Counts equal leading bytes. Compares whole blocks natively and the last one byte by byte. */
function commonStart(a: Buffer, b: Buffer): number {
  const end = Math.min(a.length, b.length)
  let at = 0
  while (at + compareBlock <= end && a.compare(b, at, at + compareBlock, at, at + compareBlock) === 0)
    at += compareBlock
  while (at < end && a[at] === b[at]) at++
  return at
}

function commonEnd(a: Buffer, b: Buffer): number {
  const end = Math.min(a.length, b.length)
  let length = 0
  const [endA, endB] = [a.length, b.length]
  while (
    length + compareBlock <= end &&
    a.compare(b, endB - length - compareBlock, endB - length, endA - length - compareBlock, endA - length) === 0
  ) {
    length += compareBlock
  }
  while (length < end && a[endA - length - 1] === b[endB - length - 1]) length++
  return length
}

/** Start of the line `above` lines before the one at this byte. */
function lineStart(bytes: Buffer, at: number, above: number): number {
  let start = at
  for (let count = 0; count <= above; count++) {
    const found = start === 0 ? -1 : bytes.lastIndexOf(newline, start - 1)
    if (found === -1) return 0
    start = count === above ? found + 1 : found
  }
  return start
}

function lineEnd(bytes: Buffer, at: number, below: number): number {
  let end = at
  for (let count = 0; count <= below; count++) {
    const found = bytes.indexOf(newline, end)
    if (found === -1) return bytes.length
    end = found + 1
  }
  return end
}

/** A part of a change that a person accepts or rejects: adjacent changed lines, or a new, deleted or moved file. */
export interface Hunk {
  /**
   * Bound to everything the person sees of the file: path, all changed lines and those around them. If the file changes
   * there, its hunks have other ids. Line numbers may shift.
   */
  id: string
  /** Lines of the diff, the last one excluded. Both 0 if the diff has no lines for it. */
  from: number
  to: number
  /** Changed lines of both sides, 0-based. Absent for a file as a whole. */
  lines?: { before: Stretch; after: Stretch }
}

export interface Stretch {
  start: number
  count: number
}

export type ShownDiff = Pick<DiffDisplay, 'path' | 'change' | 'from' | 'diff'>

/** Splits a diff that is not cut. Moving a file is a separate hunk. */
export function hunksOf(shown: ShownDiff): Hunk[] {
  const { change, diff } = shown
  const lines = diff === '' ? [] : diff.replace(/\n$/, '').split('\n')
  const blocks = change === 'created' || change === 'deleted' ? [] : changedBlocks(lines)
  const file = change === 'moved' ? { from: 0, to: 0 } : { from: 0, to: lines.length }
  const parts = change === 'moved' ? [file, ...blocks] : blocks.length === 0 ? [file] : blocks
  const seen = JSON.stringify([shown.path, shown.from, change, diff.replace(/^@@ .*$/gm, '@@')])
  return parts.map((part, index) => ({ id: hash('sha256', `${seen} ${index}`, 'hex').slice(0, 16), ...part }))
}

/** For an approval: the diff with its hunks. */
export function withHunks(diff: DiffDisplay): DiffDisplay {
  return { ...diff, hunks: hunksOf(diff).map(({ id, from, to }) => ({ id, from, to })) }
}

function changedBlocks(lines: readonly string[]): Omit<Hunk, 'id'>[] {
  const blocks: Required<Omit<Hunk, 'id'>>[] = []
  let [before, after] = [0, 0]
  for (const [index, line] of lines.entries()) {
    const head = /^@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@/.exec(line)
    if (head !== null) {
      before = firstLine(head[1], head[2])
      after = firstLine(head[3], head[4])
      continue
    }
    const mark = line[0]
    const last = blocks.at(-1)
    const isNext = last?.to === index
    if (mark === '\\') {
      if (isNext) last.to++
      continue
    }
    if (mark === ' ') {
      before++
      after++
      continue
    }
    const block = isNext
      ? last
      : { from: index, to: index, lines: { before: { start: before, count: 0 }, after: { start: after, count: 0 } } }
    if (!isNext) blocks.push(block)
    block.to++
    if (mark === '-') {
      block.lines.before.count++
      before++
    } else {
      block.lines.after.count++
      after++
    }
  }
  return blocks
}

/** 0-based. An empty side has the number of the line before it. */
function firstLine(start: string | undefined, count: string | undefined): number {
  return Number(start) - (count === '0' ? 0 : 1)
}
