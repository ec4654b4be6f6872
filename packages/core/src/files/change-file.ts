import { Buffer } from 'node:buffer'
import { type BigIntStats, statSync } from 'node:fs'
import type { DiffDisplay } from '@troupe/protocol'
import { diffBytes, diffReplacements, type TextDiff, withHunks } from '../text/diff.ts'
import type { TextFormat } from '../text/encoding.ts'
import { formatCount, printablePath } from '../text/format.ts'
import { applyReplacements, type Replacement } from '../text/text-edit.ts'
import type { ToolContext } from '../tool/tool.ts'
import type { ReplacedPart } from '../tool/undo-journal.ts'
import { fileKind, headLength } from './file-kind.ts'
import { changeFiles, withPathLocks } from './file-transaction.ts'
import { type ResolvedPath, shownPath } from './resolve-path.ts'
import { type FileKnowledge, knownHash, recordWrite, type Snapshot, takeSnapshot } from './snapshot.ts'
import { journalFor } from './undo-folder.ts'

export interface NewContent {
  /** Complete new content. Alternatively, `replacements` to apply to the current content. */
  bytes?: Buffer
  replacements?: readonly Replacement[]
  format: TextFormat
  /** Content the agent knows after the change: all, as much as before, or only the part it wrote. */
  known: FileKnowledge | (() => FileKnowledge)
}

export interface ChangedFile extends Omit<DiffDisplay, 'kind' | 'from'> {
  /** Number of other hard links to the old content. They keep it, because the file is replaced as a whole. */
  otherNames?: number
}

/** Computes the new content. Undefined means no change. Throws an Error for the model. */
export type PlanChange = (before: Snapshot | undefined) => Promise<NewContent | undefined> | NewContent | undefined

/**
 * Reads, computes, journals, and replaces one file while holding its lock in this process. `isExact`: the callback
 * itself verifies the text it replaces, so a remembered hash is good enough.
 */
export async function changeFile(
  ctx: ToolContext,
  { path: real, shown }: ResolvedPath,
  work: PlanChange,
  { isExact = false }: { isExact?: boolean } = {},
): Promise<ChangedFile> {
  return withPathLocks([real], async () => {
    const hashOf = isExact ? (stats: BigIntStats) => knownHash(ctx.state, real, stats) : undefined
    const before = await takeSnapshot(real, { shown, hashOf })
    const content = await work(before)
    const name = shownPath(real, ctx.state.roots[0] ?? real)
    if (content === undefined) return { path: name, ...unchanged }
    const { bytes, replacements = [], known } = content
    const old = before !== undefined && isText(before) ? before.bytes : Buffer.alloc(0)
    const pieces = bytes === undefined ? applyReplacements(old, { replacements }) : [bytes]
    const replaced = bytes === undefined && before !== undefined ? replacedParts(before.bytes, replacements) : undefined
    const [[sha256], diff] = await Promise.all([
      changeFiles([{ path: real, shown, before, after: pieces, replaced }], journalFor(ctx), {
        signal: ctx.signal,
        owner: ctx.state.isolation?.user,
      }),
      diffChange(before, content),
    ])
    recordWrite(
      ctx.state,
      real,
      sha256 ?? '',
      statSync(real, { bigint: true }),
      typeof known === 'function' ? known() : known,
    )
    return { path: name, change: before === undefined ? 'created' : 'changed', ...diff, ...hardLinks(before) }
  })
}

export function hardLinks(before: Snapshot | undefined): Pick<ChangedFile, 'otherNames'> {
  return before !== undefined && before.stats.nlink > 1n ? { otherNames: Number(before.stats.nlink) - 1 } : {}
}

export function hardLinkNote({ otherNames }: Pick<ChangedFile, 'otherNames'>): string | undefined {
  if (otherNames === undefined) return undefined
  const [what, keeps] = otherNames === 1 ? ['another name', 'keeps'] : [`${otherNames} other names`, 'keep']
  return `The file had ${what} (${otherNames === 1 ? 'a hard link' : 'hard links'}), which ${keeps} the old content.`
}

export async function previewChange(
  ctx: ToolContext,
  { path: real, shown }: ResolvedPath,
  work: PlanChange,
): Promise<ChangedFile> {
  const before = await takeSnapshot(real, { shown })
  const content = await work(before)
  const name = shownPath(real, ctx.state.roots[0] ?? real)
  if (content === undefined) return { path: name, ...unchanged }
  return { path: name, change: before === undefined ? 'created' : 'changed', ...(await diffChange(before, content)) }
}

/** Diff to show for approval. Undefined if truncated; the card then shows the full input instead. */
export function approvalDiff(changed: ChangedFile): DiffDisplay | undefined {
  return changed.cut === true ? undefined : withHunks({ kind: 'diff', ...changed })
}

const unchanged = { change: 'changed', diff: '', added: 0, removed: 0 } as const

export function diffChange(
  before: Snapshot | undefined,
  { bytes, replacements = [], format }: NewContent,
): Promise<TextDiff> {
  const old = before !== undefined && isText(before) ? { bytes: before.bytes, format } : undefined
  if (bytes === undefined && old !== undefined) return diffReplacements(old, replacements)
  return diffBytes(old, { bytes: bytes ?? Buffer.concat(applyReplacements(Buffer.alloc(0), { replacements })), format })
}

function isText({ bytes }: Snapshot): boolean {
  return fileKind(bytes.subarray(0, headLength)).kind === 'text'
}

export function changeMessage(shown: string, changed: ChangedFile, note?: string): string {
  const { change, diff, added, removed, cut } = changed
  const notes = [note, hardLinkNote(changed)].filter((one) => one !== undefined)
  const name = printablePath(shown)
  const head =
    change === 'created'
      ? `Created ${name} (${formatCount(added, 'line')}).`
      : `Changed ${name} (+${added} -${removed}).`
  const short = diff.length > maxDiff ? diff.slice(0, maxDiff).replace(/[^\n]*$/, '') : diff
  const isCut = cut === true || short.length < diff.length
  const shownDiff =
    change === 'created' || diff === '' ? '' : `\n${short.trimEnd()}${isCut ? '\n(the diff continues)' : ''}`
  return `${[head, ...notes].join(' ')}${shownDiff}`
}

const maxDiff = 6000

/**
 * For a small change to a large file, keeps only the replaced parts for undo. Returns undefined to keep the whole file.
 */
function replacedParts(before: Buffer, replacements: readonly Replacement[]): ReplacedPart[] | undefined {
  const changed = replacements.reduce((sum, { start, end }) => sum + end - start, 0)
  if (before.length < 2 ** 16 || changed > before.length / 8 || replacements.length > 1000) return undefined
  let shift = 0
  return replacements.map(({ start, end, bytes }) => {
    const part = { start: start + shift, length: bytes.length, bytes: before.subarray(start, end) }
    shift += bytes.length - (end - start)
    return part
  })
}

/**
 * Finds a placeholder line for omitted code: "// ... rest of the code ...", "# existing code remains". Undefined if
 * there is none, or if the replaced text contains it too.
 */
export function findPlaceholder(newText: string, oldText: string): string | undefined {
  const found = placeholders(newText)
  if (found.length === 0) return undefined
  const known = new Set(placeholders(oldText))
  return found.find((line) => !known.has(line))
}

/** Looks only at lines with an ellipsis, up to a number that no real code reaches. */
function placeholders(text: string): string[] {
  const found: string[] = []
  const marks = new RegExp(ellipsis, 'g')
  for (let left = maxMarkedLines; left > 0; left--) {
    const mark = marks.exec(text)
    if (mark === null) break
    const end = text.indexOf('\n', mark.index)
    marks.lastIndex = end === -1 ? text.length : end
    const start = text.lastIndexOf('\n', mark.index) + 1
    const line = marks.lastIndex - start < 1000 ? text.slice(start, marks.lastIndex).trim() : ''
    if (isPlaceholder(line)) found.push(line)
  }
  return found
}

const maxMarkedLines = 100_000
const commentStart = /^(\/\/|#|--|;|%|\/\*|\*|<!--|\{\/\*|\(|\.\.\.|…)/
const ellipsis = /\.\.\.|…/
const omissionWords =
  /\b(rest of|remaining|remainder of|existing|unchanged|previous|original|same as (before|above)|omitted)\b/i
const omittedNouns =
  /\b(code|file|function|functions|method|methods|class|implementation|content|contents|logic|imports?|lines|body|props|fields|tests?|cases?|styles?|markup|html|section|here|stays|remains?|as is|before|above)\b/i

function isPlaceholder(line: string): boolean {
  if (line.length > 120 || !commentStart.test(line)) return false
  return ellipsis.test(line) && omissionWords.test(line) && omittedNouns.test(line)
}
