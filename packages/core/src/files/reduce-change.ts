import { Buffer } from 'node:buffer'
import { decodeText, type TextFormat } from '../text/encoding.ts'
import { applyReplacements } from '../text/text-edit.ts'
import type { ReducedInput, ToolContext } from '../tool/tool.ts'
import { diffChange, type NewContent, type PlanChange } from './change-file.ts'
import {
  acceptedLines,
  type FileLines,
  fileLines,
  rejectedExcerpt,
  requireHunks,
  staleHunks,
  toFileBytes,
} from './hunks.ts'
import { type Hunk, hunksOf } from '../text/diff.ts'
import { type ResolvedPath, shownPath } from './resolve-path.ts'
import { type Snapshot, takeSnapshot } from './snapshot.ts'

/** The accepted part of a change to one file. */
export interface ReducedChange extends Omit<ReducedInput, 'input'> {
  /** Undefined if everything was accepted. */
  part?: AcceptedPart
}

export interface AcceptedPart {
  before: Snapshot
  format: TextFormat
  old: FileLines
  lines: string[]
  bytes: Buffer
  hunks: readonly Hunk[]
}

/** Throws unless the change is still the one whose hunks were accepted. */
export async function reduceChange(
  ctx: ToolContext,
  { path: real, shown }: ResolvedPath,
  work: PlanChange,
  accepted: ReadonlySet<string>,
): Promise<ReducedChange> {
  const before = await takeSnapshot(real, { shown })
  const content = await work(before)
  if (content === undefined) throw new Error(staleHunks)
  const diff = await diffChange(before, content)
  const change = before === undefined ? 'created' : 'changed'
  const file = { path: shownPath(real, ctx.state.roots[0] ?? real), change, diff: diff.diff } as const
  const hunks = hunksOf(file)
  if (diff.cut === true) throw new Error(staleHunks)
  requireHunks(hunks, accepted)
  const isAccepted = ({ id }: Hunk): boolean => accepted.has(id)
  const counts = {
    accepted: accepted.size,
    total: hunks.length,
    rejected: rejectedExcerpt([{ ...file, rejected: hunks.filter((hunk) => !isAccepted(hunk)) }]),
  }
  if (before === undefined || accepted.size === hunks.length) return counts
  const { format } = content
  const old = fileLines(before.bytes, format)
  const after = newBytes(before, content)
  const now = fileLines(after, format).lines
  if (
    !toFileBytes(
      old,
      acceptedLines(old.lines, now, hunks, () => true),
    ).equals(after)
  )
    throw new Error(notInPart)
  const lines = acceptedLines(old.lines, now, hunks, isAccepted)
  const part = { before, format, old, lines, bytes: toFileBytes(old, lines), hunks: hunks.filter(isAccepted) }
  return { ...counts, part }
}

export const notInPart = 'it cannot be applied in part. Nothing was changed.'

/** True if a tool would turn the file into exactly the accepted part. */
export async function makesPart({ before, bytes }: AcceptedPart, work: PlanChange): Promise<boolean> {
  const content = await work(before)
  return content !== undefined && newBytes(before, content).equals(bytes)
}

function newBytes(before: Snapshot, { bytes, replacements = [] }: NewContent): Buffer {
  return bytes ?? Buffer.concat(applyReplacements(before.bytes, { replacements }))
}

/** Longer texts are not worth storing with the conversation. */
const maxText = 2 ** 20
const contextSizes = [1, 3, 10, 50, 500, Infinity]

/** The accepted part as a text and its replacement, with more and more lines around, until the text is unique. */
export function* replacedTexts({ old, lines, hunks, format }: AcceptedPart): Generator<{ old: string; now: string }> {
  const stretches = hunks.flatMap((hunk) => (hunk.lines === undefined ? [] : [hunk.lines.before]))
  const first = Math.min(...stretches.map(({ start }) => start))
  const last = Math.max(...stretches.map(({ start, count }) => start + count))
  const grown = lines.length - old.lines.length
  const decode = (part: readonly string[]): string =>
    decodeText(old.units.toBytes(part.join('')), { ...format, bom: false })
  for (const around of contextSizes) {
    const from = Math.max(0, first - around)
    const to = Math.min(old.lines.length, last + around)
    const texts = { old: decode(old.lines.slice(from, to)), now: decode(lines.slice(from, to + grown)) }
    if (texts.old.length + texts.now.length > maxText) return
    if (texts.old !== '') yield texts
    if (from === 0 && to === old.lines.length) return
  }
}
