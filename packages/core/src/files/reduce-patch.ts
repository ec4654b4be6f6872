import type { Buffer } from 'node:buffer'
import { decodeText, detectFormat } from '../text/encoding.ts'
import { parsePatch } from '../text/parse-patch.ts'
import type { ReducedInput, ToolContext } from '../tool/tool.ts'
import { acceptedLines, fileLines, rejectedExcerpt, requireHunks, staleHunks, toFileBytes } from './hunks.ts'
import { type Hunk, hunksOf } from '../text/diff.ts'
import { describeDraft, type Draft, type PatchedFile, planPatch } from './patch-files.ts'
import { notInPart } from './reduce-change.ts'

/** Writes the patch that makes only the accepted hunks of a patch. Throws if it is no longer the one that was shown. */
export async function reducePatch(
  ctx: ToolContext,
  patch: string,
  accepted: ReadonlySet<string>,
): Promise<ReducedInput<string>> {
  const { drafts, given } = await planPatch(ctx, parsePatch(patch))
  const changes: FileChoice[] = []
  for (const draft of drafts.values()) {
    const file = await describeDraft(draft, drafts, ctx)
    if (file === undefined) continue
    if (file.cut === true) throw new Error(staleHunks)
    const hunks = hunksOf(file)
    const source = file.from === undefined ? draft : (draft.origin ?? draft)
    const name = given.get(draft.target.path) ?? file.path
    const from = given.get(source.target.path) ?? name
    changes.push({ draft, source, file, hunks, name, from, accepted: hunks.filter(({ id }) => accepted.has(id)) })
  }
  const all = changes.flatMap(({ hunks }) => hunks)
  requireHunks(all, accepted)
  const counts = {
    accepted: accepted.size,
    total: all.length,
    rejected: rejectedExcerpt(
      changes.map(({ file, hunks }) => ({ ...file, rejected: hunks.filter(({ id }) => !accepted.has(id)) })),
    ),
  }
  if (accepted.size === all.length) return { input: patch, ...counts }
  const wanted = new Map([...drafts].map(([path, { before }]) => [path, before?.bytes ?? null]))
  for (const change of changes) applyChoice(change, wanted)
  for (const around of [3, 10, 100, Infinity]) {
    const sections = changes.flatMap((change) => writeSection(change, wanted, around))
    const input = ['*** Begin Patch', ...sections, '*** End Patch'].join('\n')
    if (await makes(ctx, input, wanted, drafts)) return { input, ...counts }
  }
  throw new Error(notInPart)
}

interface FileChoice {
  draft: Draft
  /** The file whose content this was before. */
  source: Draft
  file: PatchedFile
  hunks: readonly Hunk[]
  accepted: readonly Hunk[]
  /** Paths as the patch spells them. */
  name: string
  from: string
}

/** Content of each file afterwards, by real path. */
type Wanted = Map<string, Buffer | null>

function applyChoice({ draft, source, file, hunks, accepted }: FileChoice, wanted: Wanted): void {
  if (accepted.length === 0) return
  if (accepted.length === hunks.length && file.change !== 'moved') {
    wanted.set(draft.target.path, draft.now)
    return
  }
  const bytes = acceptedBytes(source, draft, hunks, accepted)
  const isMoved = isMoveAccepted(file, hunks, accepted)
  if (isMoved) wanted.set(source.target.path, null)
  wanted.set(isMoved ? draft.target.path : source.target.path, bytes)
}

function isMoveAccepted(file: PatchedFile, hunks: readonly Hunk[], accepted: readonly Hunk[]): boolean {
  return file.change === 'moved' && hunks[0] !== undefined && accepted.includes(hunks[0])
}

function acceptedBytes(source: Draft, draft: Draft, hunks: readonly Hunk[], accepted: readonly Hunk[]): Buffer {
  const before = source.before?.bytes
  if (before === undefined || draft.now === null) throw new Error(notInPart)
  const format = detectFormat(before)
  const old = fileLines(before, format)
  const now = fileLines(draft.now, format).lines
  if (
    !toFileBytes(
      old,
      acceptedLines(old.lines, now, hunks, () => true),
    ).equals(draft.now)
  )
    throw new Error(notInPart)
  return toFileBytes(
    old,
    acceptedLines(old.lines, now, hunks, (hunk) => accepted.includes(hunk)),
  )
}

function writeSection(choice: FileChoice, wanted: Wanted, around: number): string[] {
  const { draft, source, file, hunks, accepted, name, from } = choice
  if (accepted.length === 0) return []
  if (file.change === 'deleted') return [`*** Delete File: ${name}`]
  const bytes = wanted.get(
    isMoveAccepted(file, hunks, accepted) || file.change !== 'moved' ? draft.target.path : source.target.path,
  )
  const before = source.before?.bytes
  if (bytes === null || bytes === undefined) throw new Error(notInPart)
  if (file.change === 'created' || before === undefined)
    return [`*** Add File: ${name}`, ...textLines(bytes).map((line) => `+${line}`)]
  const moved = isMoveAccepted(file, hunks, accepted) ? [`*** Move to: ${name}`] : []
  return [
    `*** Update File: ${from}`,
    ...moved,
    ...writeHunks(textLines(before), textLines(draft.now ?? bytes), accepted, around),
  ]
}

function textLines(bytes: Buffer): string[] {
  const lines = decodeText(bytes, detectFormat(bytes)).split('\n')
  if (lines.at(-1) === '') lines.pop()
  return lines.map((line) => line.replace(/\r$/, ''))
}

/** Changes closer than twice the lines around them share a hunk. */
function writeHunks(
  before: readonly string[],
  after: readonly string[],
  accepted: readonly Hunk[],
  around: number,
): string[] {
  const written: string[] = []
  let at = 0
  let isOpen = false
  for (const [index, { lines }] of accepted.entries()) {
    if (lines === undefined) continue
    const { before: old, after: now } = lines
    if (!isOpen) {
      at = Math.max(at, old.start - around)
      written.push('@@')
    }
    written.push(...before.slice(at, old.start).map((line) => ` ${line}`))
    at = old.start + old.count
    written.push(...before.slice(old.start, at).map((line) => `-${line}`))
    written.push(...after.slice(now.start, now.start + now.count).map((line) => `+${line}`))
    const next = accepted[index + 1]?.lines?.before.start
    isOpen = next !== undefined && next - at <= 2 * around
    if (isOpen) continue
    const end = Math.min(before.length, at + around)
    written.push(...before.slice(at, end).map((line) => ` ${line}`))
    at = end
    if (end === before.length) written.push('*** End of File')
  }
  return written
}

/** True if the patch has exactly this result. `before`: the files that it may change. */
async function makes(
  ctx: ToolContext,
  patch: string,
  wanted: Wanted,
  before: ReadonlyMap<string, Draft>,
): Promise<boolean> {
  try {
    const { drafts } = await planPatch(ctx, parsePatch(patch))
    if ([...drafts.keys()].some((path) => !wanted.has(path))) return false
    return [...wanted].every(([path, bytes]) => {
      const draft = drafts.get(path)
      const made = draft === undefined ? (before.get(path)?.before?.bytes ?? null) : draft.now
      return bytes === null || made === null ? bytes === made : made.equals(bytes)
    })
  } catch {
    return false
  }
}
