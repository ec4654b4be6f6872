import { Buffer } from 'node:buffer'
import type { LanguageModelV4, LanguageModelV4Prompt, LanguageModelV4TextPart } from '@ai-sdk/provider'
import { fileKind, headLength, isConvertedText, maxRequestBytes } from '../files/file-kind.ts'
import { decodeText, detectFormat } from '../text/encoding.ts'
import type { Attachments } from '../tool/documents.ts'
import type { Blobs } from '../tool/services.ts'

export type FileKind = 'image' | 'pdf' | 'audio' | 'video'

export interface FileSupport {
  provider: string
  /** Absent if unknown: images and PDFs are tried. */
  accepts?: readonly FileKind[]
  supportedUrls?: LanguageModelV4['supportedUrls']
  /** Reads documents for models that cannot take their files. */
  attachments?: Attachments
  sessionId?: string
  signal?: AbortSignal
}

/** Maximum characters of a text file in a message. It is sent with every request. */
const longestText = 100_000

export type Content = Exclude<LanguageModelV4Prompt[number], { role: 'system' | 'tool' }>['content'][number]
export type File = Extract<Content, { type: 'file' | 'reasoning-file' }>

export function text(words: string): LanguageModelV4TextPart {
  return { type: 'text', text: words }
}

export const unknownType = 'application/octet-stream'

interface FileBytes {
  bytes: Uint8Array
  mediaType: string
  /** Hash of the blob, if it is one. */
  sha256?: string
}

/** Bytes of a file we hold. Undefined for remote files. */
export async function bytesOf(
  { data, mediaType }: File,
  blobs: Pick<Blobs, 'get'> | undefined,
): Promise<FileBytes | 'missing' | undefined> {
  if (data.type === 'data') {
    const bytes = typeof data.data === 'string' ? Buffer.from(data.data, 'base64') : data.data
    return bytes.length === 0 ? 'missing' : { bytes, mediaType }
  }
  if (data.type === 'text') return { bytes: Buffer.from(data.text), mediaType }
  if (data.type !== 'url' || data.url.protocol !== 'troupe-blob:') return undefined
  const sha256 = data.url.pathname
  const blob = /^[0-9a-f]{64}$/.test(sha256) ? await blobs?.get(sha256) : undefined
  if (blob === undefined || blob.bytes.length === 0) return 'missing'
  return { sha256, bytes: blob.bytes, mediaType: mediaType === unknownType ? blob.mediaType : mediaType }
}

/**
 * Sends a file with the type its bytes have, if the model takes it: providers check the bytes and reject a mismatch.
 * Otherwise sends its text, or as a last resort a note.
 */
export async function inlinePart(
  part: File,
  { bytes, mediaType, sha256 }: FileBytes,
  takes: readonly FileKind[],
  { attachments, sessionId = '', signal }: FileSupport,
): Promise<Content> {
  const found = fileKind(bytes.subarray(0, headLength))
  const told = kindOf(mediaType)
  const file = { sessionId, sha256: sha256 ?? '', filename: ('filename' in part ? part.filename : undefined) ?? '' }
  const isText = found.kind === 'text' && told === undefined
  if (isText && !isConvertedText(file.filename, bytes)) {
    const path = bytes.length > longestText && sha256 !== undefined ? await attachments?.pathOf(file) : undefined
    return fileText(part, bytes, path)
  }
  const kind =
    found.kind === 'image' || found.kind === 'pdf'
      ? found.kind
      : told === 'audio' || told === 'video'
        ? told
        : undefined
  if (kind === undefined || !takes.includes(kind) || (kind === 'pdf' && isTooLong(bytes))) {
    const words = sha256 === undefined ? undefined : await attachments?.textOf(file, signal)
    const isSeenOrHeard = kind !== undefined && kind !== 'pdf'
    if (words !== undefined && !isSeenOrHeard) return text(words)
    if (isText) return fileText(part, bytes)
    const saved = words === undefined && sha256 !== undefined ? await attachments?.pathOf(file) : undefined
    const why = note({ ...part, mediaType }, unsupportedReason(kind ?? told), saved && `saved at ${saved}`, bytes)
    // The facts of a picture or recording do not replace it.
    return words === undefined ? why : text(`${why.text}\n${words}`)
  }
  const real = 'mediaType' in found ? found.mediaType : mediaType
  return { ...part, mediaType: real, data: { type: 'data', data: bytes } }
}

/** Limits of the strictest provider for a PDF. */
const maxPdfPages = 100

function isTooLong(bytes: Uint8Array): boolean {
  return bytes.length > maxRequestBytes || (pagesOf(bytes) ?? 0) > maxPdfPages
}

function fileText(part: File, bytes: Uint8Array, path?: string): LanguageModelV4TextPart {
  const start = bytes.subarray(0, longestText * 4)
  const format = detectFormat(start, { isWhole: start.length === bytes.length })
  const content = decodeText(start, format).slice(0, longestText).toWellFormed()
  const rest = path === undefined ? 'omitted' : `at ${path}, which Read can open`
  const left = content.length < longestText ? '' : `\n[The rest of the file is ${rest}.]`
  return text(`[The file ${nameOf(part)}:]\n${content}${left}`)
}

/** Formats as `report.pdf, 12 pages, not shown: this model takes no PDFs`. */
export function note(part: File, why: string, place?: string, bytes?: Uint8Array): LanguageModelV4TextPart {
  const facts = [
    nameOf(part),
    ...(bytes === undefined ? [] : factsOf(part.mediaType, bytes)),
    ...(place ? [place] : []),
  ]
  return text(`[${facts.join(', ')}, not shown: ${why}]`.toWellFormed())
}

export function nameOf({ mediaType, ...part }: File): string {
  const name = 'filename' in part ? part.filename?.trim() : undefined
  return name === undefined || name === '' ? `a file of type ${mediaType}` : name
}

function factsOf(mediaType: string, bytes: Uint8Array): string[] {
  const pages = mediaType === 'application/pdf' ? pagesOf(bytes) : undefined
  const size = bytes.length < 100_000 ? `${Math.ceil(bytes.length / 1000)} kB` : `${(bytes.length / 1e6).toFixed(1)} MB`
  return [pages === undefined ? size : pages === 1 ? '1 page' : `${pages} pages`]
}

const countedPages = new WeakMap<Uint8Array, number>()

/** Reads the count from the page tree, if not compressed. */
function pagesOf(bytes: Uint8Array): number | undefined {
  const known = countedPages.get(bytes)
  if (known !== undefined) return known || undefined
  const source = Buffer.from(bytes.buffer, bytes.byteOffset, Math.min(bytes.length, 4 * 2 ** 20)).toString('latin1')
  let pages = 0
  for (const [, count] of source.matchAll(/\/Type\s*\/Pages\b[^>]{0,500}?\/Count\s+(\d{1,6})/g))
    pages = Math.max(pages, Number(count))
  for (const [, count] of source.matchAll(/\/Count\s+(\d{1,6})[^>]{0,500}?\/Type\s*\/Pages\b/g))
    pages = Math.max(pages, Number(count))
  countedPages.set(bytes, pages)
  return pages || undefined
}

/** Images are limited to the four types that every provider takes. */
export function kindOf(mediaType: string): FileKind | undefined {
  if (/^image\/(png|jpe?g|gif|webp)$/i.test(mediaType)) return 'image'
  if (/^application\/pdf$/i.test(mediaType)) return 'pdf'
  if (/^audio\//i.test(mediaType)) return 'audio'
  return /^video\//i.test(mediaType) ? 'video' : undefined
}

export function unsupportedReason(kind: FileKind | undefined): string {
  if (kind === undefined) return 'models do not accept files of this type'
  return `this model does not accept ${{ image: 'images', pdf: 'PDFs', audio: 'audio', video: 'videos' }[kind]}`
}

/** Endpoints that declare no supported URLs usually open image URLs. */
export function isSupported(url: string, mediaType: string, urls: Record<string, RegExp[]>): boolean {
  if (Object.keys(urls).length === 0) return kindOf(mediaType) === 'image'
  return Object.entries(urls).some(([pattern, matches]) => {
    const isOfType =
      pattern === '*' ||
      pattern === '*/*' ||
      pattern === mediaType ||
      (pattern.endsWith('/*') && mediaType.startsWith(pattern.slice(0, -1)))
    return isOfType && matches.some((match) => match.test(url))
  })
}
