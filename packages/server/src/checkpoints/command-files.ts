import { lstat } from 'node:fs/promises'
import path from 'node:path'
import { type AgentState, listFiles, type RanCommand, shownPath, type Workspace } from '@troupe/core'
import type { CommandFile } from '@troupe/protocol'
import { yieldToEventLoop } from '../util/concurrency.ts'
import { type Content, currentContent, fileDiff } from './file-diff.ts'

/** Versions of files that are known besides the undo journal. Undefined without a repository. */
export interface CommittedFiles {
  /** Files that differ from the last commit, relative to the workspace. */
  changed(workspace: Workspace): Promise<string[] | undefined>
  /** Contents in the last commit. Null if a file is not in it. A file that cannot be told is missing. */
  contents(workspace: Workspace, files: readonly string[]): Promise<ReadonlyMap<string, Content>>
}

interface CommandFilesRequest {
  workspace: Workspace
  committed: CommittedFiles
  commands: readonly RanCommand[]
  /** Files that tools changed. They are listed elsewhere. */
  known: ReadonlySet<string>
  /** Changes from this time on belong to a later turn. */
  until?: number | undefined
  secret: boolean
}

const mostScanned = 20_000
const mostListed = 200
const listMs = 5000
/** File systems store times in steps of up to two seconds, and a command is recorded just before it starts. */
const slackMs = 50

/**
 * Files that changed while commands ran and that no tool and no person changed through Troupe. Commands leave no record,
 * so this goes by the times of files. The content before is that of the last commit, or unknown.
 */
export async function commandFiles(
  { state }: { state: Pick<AgentState, 'roots' | 'undo'> },
  request: CommandFilesRequest,
): Promise<{ files: CommandFile[]; isCut: boolean }> {
  const { workspace, committed, commands, known, until = Infinity, secret } = request
  const since = Math.min(...commands.map(({ createdAt }) => createdAt)) - slackMs
  if (commands.length === 0) return { files: [], isCut: false }
  const changed = await committed.changed(workspace)
  const { names, isCut } = changed === undefined ? await listed(workspace.path) : { names: changed, isCut: false }
  const touched: string[] = []
  for (const [index, name] of names.entries()) {
    if (index % 200 === 0) await yieldToEventLoop()
    const file = path.join(workspace.path, name)
    const at = known.has(file) ? undefined : await changedAt(file)
    if (at !== undefined && at >= since && at < until) touched.push(name)
  }
  const shown = touched.slice(0, mostListed)
  const before = changed === undefined ? new Map<string, Content>() : await committed.contents(workspace, shown)
  // The newest change of each file is the last in the map.
  const recorded = new Map((await state.undo.list({})).toReversed().map((change) => [change.path, change.after]))
  const files: CommandFile[] = []
  for (const name of shown) {
    await yieldToEventLoop()
    const file = path.join(workspace.path, name)
    const now = await currentContent(file)
    // Another chat or the person wrote this content.
    if (recorded.has(file) && (recorded.get(file) ?? '') === now.sha256) continue
    const base = { path: shownPath(file, state.roots[0] ?? file), version: now.sha256, calls: [] }
    const old = before.get(name)
    if (old === undefined || now.note !== undefined) {
      const note = now.note ?? 'command'
      files.push({ ...base, change: 'changed', diff: '', added: 0, removed: 0, hunks: [], note })
      continue
    }
    const diff = await fileDiff({ ...base, before: old, after: now.content, secret })
    if (diff !== undefined) files.push({ ...diff, hunks: [], comparedWith: 'commit' })
  }
  return { files, isCut: isCut || touched.length > shown.length }
}

async function listed(folder: string): Promise<{ names: string[]; isCut: boolean }> {
  try {
    const { files, total } = await listFiles(folder, '**', mostScanned, AbortSignal.timeout(listMs))
    return { names: files, isCut: total > files.length }
  } catch {
    return { names: [], isCut: true }
  }
}

/** Time of the last change of a file. For a deleted one, that of its folder. */
async function changedAt(file: string): Promise<number | undefined> {
  const stats = await lstat(file).catch(() => undefined)
  if (stats !== undefined) return Math.max(stats.mtimeMs, stats.ctimeMs)
  return (await lstat(path.dirname(file)).catch(() => undefined))?.mtimeMs
}
