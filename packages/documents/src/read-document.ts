import { type FileHandle, open } from 'node:fs/promises'
import path from 'node:path'
import type { DocumentFile, DocumentFormat, DocumentPart, DocumentText } from '@troupe/core'
import { identify, misnamedNote, type NamedReader, namedReader } from './identify.ts'
import { type DocumentSource, scanMark } from './reader.ts'
import { ZipError } from './zip/zip-file.ts'

export interface ReaderRequest {
  kind: 'identify' | 'read'
  file: DocumentFile
  part?: DocumentPart
  /** Time limit, after which this process is killed. */
  ms: number
  /** Limit of CPU time, likewise. */
  workMs: number
  /** Pictures of text can be recognized. */
  canRecognize?: boolean
}

export interface ReaderResponse {
  format?: DocumentFormat | undefined
  text?: DocumentText | undefined
  error?: string | undefined
  /** PNGs to recognize. The text has `scanMark(index)` for each. */
  scans?: readonly Uint8Array[] | undefined
  /** Memory of the reader process, in bytes. */
  memory?: number
}

/** Opens a file, finds its reader and answers. Never rejects. */
export async function respond({
  kind,
  file,
  part = {},
  ms,
  workMs,
  canRecognize = false,
}: ReaderRequest): Promise<ReaderResponse> {
  try {
    const handle = await open(file.path, 'r')
    try {
      const source = await sourceOf(handle, file, lateAfter(ms, workMs))
      const reader = await identify(source)
      if (kind === 'identify') return { format: reader && formatOf(reader) }
      if (reader === undefined) return { error: await unknownFile(source) }
      const scans: Uint8Array[] = []
      if (canRecognize) source.recognize = (picture) => scanMark(scans.push(picture) - 1)
      const answer = await reader.read(source, part)
      // Told once, not with every part of a long document.
      const isStart = part.pages === undefined && part.offset === undefined && part.range === undefined
      const misnamed = isStart ? await misnamedNote(source, reader) : undefined
      const notes = misnamed === undefined ? answer.notes : [misnamed, ...(answer.notes ?? [])]
      return { text: { ...formatOf(reader), ...answer, notes }, scans }
    } finally {
      await handle.close()
    }
  } catch (error) {
    return { error: problemOf(error, file.name ?? path.basename(file.path)) }
  }
}

async function unknownFile(source: DocumentSource): Promise<string> {
  if (source.size === 0) return `${source.name} is empty (0 bytes).`
  const reader = await namedReader(source)
  return reader === undefined
    ? `${source.name} is not a document that can be read.`
    : `${source.name} is named like ${reader.title}, but its content is something else. It may be damaged, incomplete or of another kind. Ask for another copy.`
}

/** Readers throw messages for the model. What libraries throw at a damaged file is put into words here. */
function problemOf(error: unknown, name: string): string {
  if (!(error instanceof Error)) return String(error)
  if (error instanceof ZipError) return `${name} is damaged or incomplete: ${error.message}. Ask for another copy.`
  const isForeign =
    error instanceof TypeError || error instanceof RangeError || /Exception$|^FormatError$/.test(error.name)
  return isForeign
    ? `${name} is damaged or has content that cannot be read: ${error.message.replace(/\.$/, '')}. Ask for another copy.`
    : error.message
}

function formatOf({ format, title, mediaTypes }: NamedReader): DocumentFormat {
  return { format, title, mediaType: mediaTypes[0] ?? 'application/octet-stream' }
}

/** True after half of one of the limits. */
function lateAfter(ms: number, workMs: number): () => boolean {
  const lateAt = Date.now() + ms / 2
  const start = process.cpuUsage()
  return () => {
    const { user, system } = process.cpuUsage(start)
    return Date.now() > lateAt || (user + system) / 1000 > workMs / 2
  }
}

async function sourceOf(handle: FileHandle, file: DocumentFile, isLate: () => boolean): Promise<DocumentSource> {
  const { size } = await handle.stat()
  const name = file.name ?? path.basename(file.path)
  const bytesAt = async (position: number, length: number): Promise<Buffer> => {
    const bytes = Buffer.alloc(Math.max(0, Math.min(length, size - position)))
    let at = 0
    while (at < bytes.length) {
      const { bytesRead } = await handle.read(bytes, at, bytes.length - at, position + at)
      if (bytesRead === 0) break
      at += bytesRead
    }
    return bytes.subarray(0, at)
  }
  return {
    path: file.path,
    name,
    size,
    bytesAt,
    bytes(most) {
      if (size > most)
        throw new Error(
          `${name} has ${Math.ceil(size / 2 ** 20)} MB; at most ${Math.floor(most / 2 ** 20)} MB can be read.`,
        )
      return bytesAt(0, size)
    },
    isLate,
  }
}
