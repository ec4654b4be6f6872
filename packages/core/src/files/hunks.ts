import { Buffer } from 'node:buffer'
import type { Hunk, ShownDiff, Stretch } from '../text/diff.ts'
import type { TextFormat } from '../text/encoding.ts'
import { type TextUnits, textUnits } from '../text/text-edit.ts'

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
export function rejectedExcerpt(files: readonly (ShownDiff & { rejected: readonly Hunk[] })[]): string {
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
