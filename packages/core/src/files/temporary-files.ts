import { lstatSync, mkdirSync, mkdtempSync } from 'node:fs'
import { mkdir, open } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { formatCount } from '../text/format.ts'
import type { AgentState } from '../tool/agent-state.ts'

interface Spilled {
  /** Head and tail of the text, with a line between them that says what is missing and where it is. */
  preview: string
  /** Where the whole text is; `Read` and `Grep` can open it. */
  path: string
  /** Characters of the whole text. */
  length: number
}

interface SpillContext {
  state: Pick<AgentState, 'outputFolder'>
  toolCallId: string
}

/** Keeps an over-long text as a file in the session's output folder. `name` says what it is: `bash`, `grep`. */
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

/** A new, empty, open file in the output folder, for output that is written as it comes. */
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

/** What is shown of a text that lies in a file. */
export function spillPreview(text: string, file: string, { head, tail }: { head: number; tail: number }): string {
  const from = text.length - tail
  if (from <= head) return text
  const start = text.slice(0, isSurrogatePair(text, head) ? head - 1 : head)
  const end = text.slice(isSurrogatePair(text, from) ? from + 1 : from)
  const left = text.slice(start.length, text.length - end.length)
  const lines = left.split('\n').length - 1
  return `${start}\n... [${left.length} characters (${formatCount(lines, 'line')}) left out here. All ${text.length} characters are in ${file}: use Read with offset and limit, or Grep] ...\n${end}`
}

/** Whether a cut here would part the two halves of one character. */
function isSurrogatePair(text: string, at: number): boolean {
  return at > 0 && (text.codePointAt(at - 1) ?? 0) > 0xffff
}

/**
 * The folder of this user for temporary files that outlive a process. Everybody can write where it lies, so one that
 * somebody else made, that others can open, or that leads elsewhere is not used: a new one with a random name is.
 */
export function privateTemporaryFolder(within = tmpdir()): string {
  const own = process.getuid?.()
  const folder = path.join(within, `troupe-${own ?? 'user'}`)
  try {
    mkdirSync(folder, { mode: 0o700 })
  } catch {
    // It is there, or cannot be made: both are seen below.
  }
  try {
    const found = lstatSync(folder)
    const isOurs = own === undefined || (found.uid === own && (found.mode & 0o077) === 0)
    if (found.isDirectory() && isOurs) return folder
  } catch {
    // Gone again: another one is made.
  }
  return mkdtempSync(`${folder}-`)
}
