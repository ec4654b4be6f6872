import { createHash, randomUUID } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { copyFile, mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { pipeline } from 'node:stream/promises'
import { convertOffice, type DocumentFile, findLibreOffice, type Isolation, type Sandbox } from '@troupe/core'
import { createKeyedMutex } from '../util/concurrency.ts'

export interface DocumentPages {
  /** The file has pages, and LibreOffice is installed. */
  has(file: DocumentFile): boolean
  /** The file as PDF. Rejects with a reason for the person. Aborting kills the conversion. */
  pdf(file: DocumentFile, signal: AbortSignal, isolation?: Isolation): Promise<Uint8Array<ArrayBuffer>>
  close(): Promise<void>
}

const paged = /\.(?:docx|docm|dotx|doc|odt|ott|fodt|rtf|pptx|pptm|ppsx|potx|ppt|odp|otp|fodp)$/i
const maxFileBytes = 64 * 2 ** 20
const maxKept = 20
const maxKeptBytes = 200 * 2 ** 20

/** Converts documents to PDF, one at a time, and keeps the last ones by the hash of the file until the server ends. */
export function openDocumentPages({ sandbox }: { sandbox: Sandbox | undefined }): DocumentPages {
  const inTurn = createKeyedMutex()
  /** Sizes by hash, the least recently used first. */
  const kept = new Map<string, number>()
  let made: Promise<string> | undefined

  return {
    has: (file) => paged.test(nameOf(file)) && findLibreOffice() !== undefined,
    pdf: (file, signal, isolation) => inTurn('convert', () => convert(file, signal, isolation)),
    async close() {
      if (made !== undefined) await rm(await made, { recursive: true, force: true, maxRetries: 3 })
    },
  }

  async function convert(
    file: DocumentFile,
    signal: AbortSignal,
    isolation: Isolation | undefined,
  ): Promise<Uint8Array<ArrayBuffer>> {
    signal.throwIfAborted()
    if ((await stat(file.path)).size > maxFileBytes)
      throw new Error('Files above 64 MB are only shown as text. Download the file to see its pages.')
    made ??= mkdtemp(path.join(tmpdir(), 'troupe-pages-'))
    const folder = await made
    // A copy, because the file can change between its hash and its conversion.
    const copy = path.join(folder, `${randomUUID()}${path.extname(nameOf(file)).toLowerCase()}`)
    try {
      await copyFile(file.path, copy)
      const hash = createHash('sha256')
      await pipeline(createReadStream(copy), hash, { signal })
      const key = hash.digest('hex')
      const target = path.join(folder, `${key}.pdf`)
      if (kept.has(key)) {
        keep(key, kept.get(key) ?? 0)
        return new Uint8Array(await readFile(target))
      }
      const state = { sandbox: isolation?.sandbox ?? sandbox, isolation }
      const call = { signal, toolCallId: randomUUID(), run: { id: 'viewer' }, state }
      const bytes = await convertOffice({ ...call, process: () => Promise.resolve() }, { path: copy }, 'pdf')
      if (bytes.length <= maxKeptBytes) {
        await writeFile(target, bytes, { mode: 0o600 })
        for (const old of keep(key, bytes.length)) await rm(path.join(folder, `${old}.pdf`), { force: true })
      }
      return new Uint8Array(bytes)
    } finally {
      await rm(copy, { force: true })
    }
  }

  /** Returns the keys that had to go. */
  function keep(key: string, size: number): string[] {
    kept.delete(key)
    kept.set(key, size)
    const gone: string[] = []
    let total = [...kept.values()].reduce((sum, one) => sum + one, 0)
    for (const [old, bytes] of kept) {
      if (kept.size <= maxKept && total <= maxKeptBytes) break
      kept.delete(old)
      total -= bytes
      gone.push(old)
    }
    return gone
  }
}

function nameOf({ name, path: file }: DocumentFile): string {
  return name ?? file
}
