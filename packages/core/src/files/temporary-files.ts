import { lstatSync, mkdirSync, mkdtempSync } from 'node:fs'
import { chown, chmod, mkdir, mkdtemp, open, realpath } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { formatCount } from '../text/format.ts'
import type { AgentState } from '../tool/agent-state.ts'
import type { Isolation } from '../tool/isolation.ts'

interface Spilled {
  /** Head and tail of the text, with a line between them about the omitted part and its file. */
  preview: string
  /** File with the full text. `Read` and `Grep` can open it. */
  path: string
  length: number
}

interface SpillContext {
  state: Pick<AgentState, 'outputFolder'>
  toolCallId: string
}

/** Saves an overlong text to a file in the session's output folder. `name` is its source, such as `bash` or `grep`. */
export async function spill(
  ctx: SpillContext,
  text: string,
  name: string,
  { head = 15_000, tail = 15_000 }: { head?: number; tail?: number } = {},
): Promise<Spilled> {
  const target = await spillFile(ctx, name)
  await using file = target.file
  await file.writeFile(text)
  return { preview: spillPreview(text, target.path, { head, tail }), path: target.path, length: text.length }
}

export async function spillFile(
  ctx: SpillContext,
  name: string,
): Promise<{ path: string; file: Awaited<ReturnType<typeof open>> }> {
  const folder = ctx.state.outputFolder
  await mkdir(folder, { recursive: true, mode: 0o700 })
  const stem = `${name}-${ctx.toolCallId}`.replace(/[^A-Za-z0-9_-]+/g, '-').slice(0, 120)
  for (let number = 1; ; number++) {
    const file = path.join(folder, number === 1 ? `${stem}.txt` : `${stem}-${number}.txt`)
    try {
      return { path: file, file: await open(file, 'wx', 0o600) }
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
    }
  }
}

export function spillPreview(text: string, file: string, { head, tail }: { head: number; tail: number }): string {
  const from = text.length - tail
  if (from <= head) return text
  const start = text.slice(0, isSurrogatePair(text, head) ? head - 1 : head)
  const end = text.slice(isSurrogatePair(text, from) ? from + 1 : from)
  const left = text.slice(start.length, text.length - end.length)
  const lines = left.split('\n').length - 1
  return `${start}\n... [${left.length} characters (${formatCount(lines, 'line')}) omitted. All ${text.length} characters are in ${file}: use Read with offset and limit, or Grep] ...\n${end}`
}

function isSurrogatePair(text: string, at: number): boolean {
  return at > 0 && (text.codePointAt(at - 1) ?? 0) > 0xffff
}

/**
 * Returns this user's folder for temporary files that outlive a process. Its parent is world-writable. A folder that
 * another user owns, that others can open, or that is a link is rejected in favor of a new random one.
 */
export function privateTemporaryFolder(within = tmpdir()): string {
  const own = process.getuid?.()
  const folder = path.join(within, `troupe-${own ?? 'user'}`)
  try {
    mkdirSync(folder, { mode: 0o700 })
  } catch {
    // The folder exists or cannot be created; the check below handles both.
  }
  try {
    const found = lstatSync(folder)
    const isOurs = own === undefined || (found.uid === own && (found.mode & 0o077) === 0)
    if (found.isDirectory() && isOurs) return folder
  } catch {
    // Removed meanwhile: create another one.
  }
  return mkdtempSync(`${folder}-`)
}

/** Makes a folder for a program. In team mode it is in the person's own folder and belongs to their user. */
export async function makeTemporaryFolder(purpose: string, isolation?: Isolation): Promise<string> {
  const folder = await realpath(await mkdtemp(path.join(isolation?.folder ?? tmpdir(), `troupe-${purpose}-`)))
  await giveTo(isolation, folder)
  return folder
}

/** Gives the person's programs access to a file or folder that the server made. */
export async function giveTo(isolation: Isolation | undefined, folder: string): Promise<void> {
  if (isolation?.user === undefined) return
  const { uid, gid, groups } = isolation.user
  await chown(folder, uid, groups[0] ?? gid)
  await chmod(folder, 0o2770)
}
