import type { FileHandle } from 'node:fs/promises'
import { spillFile } from '../files/temporary-files.ts'
import type { AgentState } from '../tool/agent-state.ts'

/** Visible part of a command's output, and the location of the full output. */
export interface ShownOutput {
  /** Head and tail, with a line between them that tells how much is missing and where it is. */
  text: string
  spilled?: { path: string; length: number }
}

/**
 * Collects the output of a command. Short output stays in memory. Of long output, both ends stay in memory and all of
 * it goes to a file.
 */
interface OutputCollector {
  add(text: string): Promise<void> | void
  end(): Promise<ShownOutput>
}

const shownCharacters = 30_000
const endCharacters = shownCharacters / 2

export function createOutputCollector(ctx: SpillContext, name: string): OutputCollector {
  let whole = ''
  let length = 0
  let head = ''
  let tail = ''
  let writer: SpillWriter | undefined
  return {
    add(text) {
      length += text.length
      if (writer !== undefined) {
        tail = lastOf(tail + text)
        return writer.add(text)
      }
      whole += text
      if (length <= shownCharacters) return undefined
      head = whole.slice(0, endCharacters)
      if (endsInHalf(head)) head = head.slice(0, -1)
      tail = lastOf(whole)
      writer = createSpillWriter(ctx, name)
      const first = whole
      whole = ''
      return writer.add(first)
    },
    async end() {
      if (writer === undefined) return { text: whole }
      await writer.end()
      const { path, note } = writer
      const left = length - head.length - tail.length
      const where =
        path === undefined ? '' : ` All ${length} characters are in ${path}: use Read with offset and limit, or Grep.`
      const kept = note === undefined ? where : `${path === undefined ? '' : ` See ${path}.`} ${note}`
      return {
        text: `${head}\n... [${left} characters omitted.${kept}] ...\n${tail}`,
        spilled: path !== undefined && note === undefined ? { path, length } : undefined,
      }
    },
  }
}

function lastOf(text: string): string {
  const end = text.slice(-endCharacters)
  return /^[\udc00-\udfff]/.test(end) ? end.slice(1) : end
}

function endsInHalf(text: string): boolean {
  return /[\ud800-\udbff]$/.test(text)
}

/** Maximum bytes one command may leave on disk. */
const spillBytes = 256 << 20

export interface SpillContext {
  state: Pick<AgentState, 'outputFolder'>
  toolCallId: string
}

/** Writes output to a file as it arrives, up to a limit. Never rejects. `note` reports lost output. */
interface SpillWriter {
  add(text: string): Promise<void>
  end(): Promise<void>
  /** Undefined until the file exists. */
  readonly path: string | undefined
  /** The part of the output missing in the file, and why. Undefined if the file is complete. */
  readonly note: string | undefined
}

export function createSpillWriter(ctx: SpillContext, name: string, limit = spillBytes): SpillWriter {
  let file: FileHandle | undefined
  let path: string | undefined
  let note: string | undefined
  let left = limit
  return {
    get path() {
      return path
    },
    get note() {
      return note
    },
    async add(text) {
      if (note !== undefined || text === '') return
      try {
        if (file === undefined) ({ file, path } = await spillFile(ctx, name))
        // A file with NULs would count as binary, and Read could not open it.
        const bytes = Buffer.from(text.replaceAll('\0', '\ufffd'))
        const kept = bytes.length <= left ? bytes : bytes.subarray(0, left)
        await file.writeFile(kept)
        left -= kept.length
        if (kept === bytes) return
        note = `The file contains only the first ${size(limit)}; the rest was discarded.`
        await file.writeFile(`\n[${note}]\n`)
      } catch (error) {
        note = `The file could not be written completely: ${(error as Error).message}`
      }
    },
    async end() {
      try {
        await file?.close()
      } catch (error) {
        note ??= `The file could not be closed: ${(error as Error).message}`
      }
      file = undefined
    },
  }
}

function size(bytes: number): string {
  return bytes >= 1 << 20 ? `${bytes / (1 << 20)} MiB` : `${bytes} bytes`
}
