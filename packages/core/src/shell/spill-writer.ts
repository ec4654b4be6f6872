import type { FileHandle } from 'node:fs/promises'
import type { AgentState } from '../agent-state.ts'
import { spillFile } from '../files/spill.ts'

/** What one command may leave on disk. */
export const spillBytes = 256 << 20

export interface SpillContext {
  state: Pick<AgentState, 'outputFolder'>
  toolCallId: string
}

/** Writes output to a file as it comes, up to a limit. Never rejects: what could not be kept is said in `note`. */
export interface SpillWriter {
  add(text: string): Promise<void>
  end(): Promise<void>
  /** Undefined until the file exists. */
  readonly path: string | undefined
  /** What of the output is not in the file, and why; undefined when all of it is. */
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
        // A file with NULs would not pass for text, and Read could not open it.
        const bytes = Buffer.from(text.replaceAll('\0', '\ufffd'))
        const kept = bytes.length <= left ? bytes : bytes.subarray(0, left)
        await file.writeFile(kept)
        left -= kept.length
        if (kept === bytes) return
        note = `The file holds only the first ${size(limit)}; the rest was not kept.`
        await file.writeFile(`\n[${note}]\n`)
      } catch (error) {
        note = `The file could not be written to its end: ${(error as Error).message}`
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
