import { Buffer } from 'node:buffer'
import { hash } from 'node:crypto'
import type { DiffDisplay } from '@troupe/protocol'
import type { TextFormat } from '../text/encoding.ts'
import { type TextUnits, textUnits } from '../text/text-edit.ts'

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

interface Stretch {
  start: number
  count: number
}

type Shown = Pick<DiffDisplay, 'path' | 'change' | 'from' | 'diff'>

/** Splits a diff that is not cut. Moving a file is a separate hunk. */
export function hunksOf(shown: Shown): Hunk[] {
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

/** Lines with their endings, in units that map one to one to the bytes of the file. */
export interface FileLines {
  units: TextUnits
  lines: string[]
}

export function fileLines(bytes: Buffer, format: TextFormat): FileLines {
  const units = textUnits(bytes, format)
  return { units, lines: units.units().split(/(?<=\n)/) }
}

/** The lines of a file after only the accepted hunks, exact to the byte. */
export function acceptedLines(
  before: readonly string[],
  after: readonly string[],
  hunks: readonly Hunk[],
  isAccepted: (hunk: Hunk) => boolean,
): string[] {
  const result: string[] = []
  let at = 0
  const copy = (lines: readonly string[], from: number, to: number): void => {
    for (let index = from; index < to; index++) result.push(lines[index] ?? '')
  }
  for (const hunk of hunks) {
    if (hunk.lines === undefined) continue
    const { before: old, after: now } = hunk.lines
    copy(before, at, old.start)
    if (isAccepted(hunk)) copy(after, now.start, now.start + now.count)
    else copy(before, old.start, old.start + old.count)
    at = old.start + old.count
  }
  copy(before, at, before.length)
  return result
}

export function toFileBytes({ units }: FileLines, lines: readonly string[]): Buffer {
  return Buffer.concat([units.bytes.subarray(0, units.mark), units.toBytes(lines.join(''))])
}

/** Reason to give instead of a change that differs from the one the person saw. */
export const staleHunks =
  'the file is no longer as it was when they saw the change. Nothing was changed. Read the file again.'

/** Throws if a hunk is not one of these. */
export function requireHunks(hunks: readonly Hunk[], accepted: ReadonlySet<string>): void {
  const known = new Set(hunks.map(({ id }) => id))
  for (const id of accepted) if (!known.has(id)) throw new Error(staleHunks)
}

const maxExcerpt = 2000

/** The rejected part of a diff, for the model. */
export function rejectedExcerpt(files: readonly (Shown & { rejected: readonly Hunk[] })[]): string {
  const parts = files.flatMap(({ path, change, from, diff, rejected }) => {
    if (rejected.length === 0) return []
    const lines = diff.split('\n')
    return [
      `--- ${path}`,
      ...rejected.flatMap(({ from: start, to, lines: where }) => {
        if (where !== undefined) return [hunkHead(where), ...lines.slice(start, to)]
        return change === 'moved' ? [`(move from ${from ?? ''})`] : [`(${fileWords[change]})`]
      }),
    ]
  })
  const text = parts.join('\n')
  return text.length > maxExcerpt ? `${text.slice(0, maxExcerpt).replace(/[^\n]*$/, '')}(more was rejected)` : text
}

const fileWords = { created: 'new file', deleted: 'deletion', changed: 'whole change', moved: 'move' }

function hunkHead({ before, after }: NonNullable<Hunk['lines']>): string {
  const range = ({ start, count }: Stretch): string => `${count === 0 ? start : start + 1},${count}`
  return `@@ -${range(before)} +${range(after)} @@`
}
