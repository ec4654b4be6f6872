import { Buffer } from 'node:buffer'
import { statSync } from 'node:fs'
import type { DiffDisplay } from '../protocol/display.ts'
import type { ToolContext } from '../tool.ts'
import { changeFiles } from './change-files.ts'
import { journalFor } from './change-mark.ts'
import { diffBytes, type DiffSide } from './diff-bytes.ts'
import type { TextFormat } from './encoding.ts'
import { withPaths } from './path-lock.ts'
import { type ResolvedPath, shownPath } from './resolve-path.ts'
import { type Snapshot, takeSnapshot } from './snapshot.ts'
import { type Knowledge, stampWritten } from './stamps.ts'

/** What a file is to become. */
export interface NewContent {
  pieces: readonly Buffer[]
  format: TextFormat
  /** How it lay in the file before, where that was text. */
  oldFormat?: TextFormat
  /** How much of it the agent knows then: all, as much as before, or only what it has put there. */
  known: Knowledge
}

export type ChangedFile = Omit<DiffDisplay, 'kind' | 'from'>

/**
 * One file from what it is to what it becomes: read, worked out, journaled and replaced while nobody else of this
 * process changes it. `work` returning undefined means that nothing is to be done.
 */
export async function changeFile(
  ctx: ToolContext,
  { path: real, shown }: ResolvedPath,
  work: (before: Snapshot | undefined) => NewContent | undefined,
): Promise<ChangedFile> {
  return withPaths([real], async () => {
    const before = await takeSnapshot(real, shown)
    const content = work(before)
    const name = shownPath(real, ctx.state.roots[0] ?? real)
    if (content === undefined) return { path: name, change: 'changed', diff: '', added: 0, removed: 0 }
    const { pieces, format, oldFormat = format, known } = content
    const [[sha256], diff] = await Promise.all([
      changeFiles([{ path: real, shown, before, after: pieces }], journalFor(ctx), ctx.signal),
      diffBytes(sideOf(before?.bytes, oldFormat), sideOf(Buffer.concat(pieces), format)),
    ])
    stampWritten(ctx.state, real, sha256 ?? '', statSync(real, { bigint: true }), known)
    return { path: name, change: before === undefined ? 'created' : 'changed', ...diff }
  })
}

/** What the model reads after a change. */
export function changedText(shown: string, { change, diff, added, removed, cut }: ChangedFile, note?: string): string {
  const head = change === 'created' ? `Created ${shown} (${added} lines).` : `Changed ${shown} (+${added} -${removed}).`
  const short = diff.length > maxDiff ? diff.slice(0, maxDiff).replace(/[^\n]*$/, '') : diff
  const isCut = cut === true || short.length < diff.length
  const shownDiff =
    change === 'created' || diff === '' ? '' : `\n${short.trimEnd()}${isCut ? '\n(the diff goes on)' : ''}`
  return `${head}${note === undefined ? '' : ` ${note}`}${shownDiff}`
}

const maxDiff = 6000

function sideOf(bytes: Buffer | undefined, format: TextFormat): DiffSide | undefined {
  return bytes === undefined ? undefined : { bytes, format }
}
