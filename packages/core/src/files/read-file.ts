import { Buffer } from 'node:buffer'
import { type BigIntStats, readSync } from 'node:fs'
import type { FolderDisplayEntry, PagePicture } from '@troupe/protocol'
import { decodeText, detectFormat, formatName } from '../text/encoding.ts'
import { formatCount } from '../text/format.ts'
import { cellSource, formatCell, type Notebook, notebookLanguage, parseNotebook } from '../text/notebook.ts'
import type { DocumentImage, DocumentPart } from '../tool/documents.ts'
import type { ToolContext } from '../tool/tool.ts'
import { type FileKind, imageSize, isRecording, mediaProblem } from './file-kind.ts'
import { defaultLines, maxTextBytes, readRangeOfBytes, readRangeOfFile, type TextRange } from './read-range.ts'
import { readOpenFile, recordRead, sha256Of } from './snapshot.ts'

/** Structured output of Read, next to the text for the model. Paths inside the workspace are relative to it. */
export type ReadOutput =
  | {
      kind: 'text'
      path: string
      /** 1-based number of the first line shown. */
      from: number
      lines: number
      next?: number
      /** Set if not plain UTF-8. */
      encoding?: string
      preview: string
    }
  | {
      kind: 'notebook'
      path: string
      /** 0-based index of the first cell shown. */
      from: number
      cells: number
      total: number
      next?: number
      preview: string
    }
  | {
      kind: 'image' | 'pdf'
      path: string
      mediaType: string
      size: number
      width?: number
      height?: number
      /** SHA-256 of the stored blob, if blobs are stored. */
      blob?: string
    }
  | {
      kind: 'document'
      path: string
      /** Name of the format: `pdf`, `docx`. */
      format: string
      mediaType: string
      /** `12 pages` */
      facts: string
      next?: DocumentPart
      preview: string
      /** Number of lines the model got. */
      lines: number
      /** Pictures of pages, if they were asked for and blobs are stored. */
      images?: PageImage[]
    }
  | { kind: 'folder'; path: string; entries: FolderDisplayEntry[]; left: number }

export interface PageImage {
  /** `p. 12` */
  anchor: string
  /** SHA-256 of the stored blob. */
  blob: string
  mediaType: string
  size: number
  width: number
  height: number
}

export interface ReadResult {
  output: ReadOutput
  text: string
}

export interface OpenedFile {
  real: string
  shown: string
  name: string
  fd: number
  size: number
  stats: BigIntStats
}

export interface ReadRange {
  offset?: number | undefined
  limit?: number | undefined
}

function cardPreview(text: string): string {
  return text.split('\n', 8).join('\n').slice(0, 400).toWellFormed()
}

/** Reads numbered lines of a text file. `head` is its first bytes, or all of a small file. */
export async function readText(
  file: OpenedFile,
  head: Buffer,
  { offset, limit = defaultLines }: ReadRange,
  ctx: ToolContext,
): Promise<ReadResult> {
  const from = Math.max(1, offset ?? 1)
  const isWhole = head.length === file.size
  const range = isWhole
    ? readRangeOfBytes(head, from, limit)
    : await readRangeOfFile({ fd: file.fd, size: file.size, head }, from, limit, ctx.signal)
  const { lines, seen, more, cut } = range
  if (seen === 0) {
    recordRead(ctx.state, file.real, { stats: file.stats, sha256: sha256Of(head) }, 'all')
    return {
      output: { kind: 'text', path: file.name, from: 1, lines: 0, preview: '' },
      text: `${file.shown} is empty except for a byte order mark.`,
    }
  }
  if (lines.length === 0) {
    throw new Error(`${file.shown} has ${seen} ${seen === 1 ? 'line' : 'lines'}; there is nothing at offset ${from}.`)
  }
  const sha256 = isWhole ? sha256Of(head) : ''
  const last = more ? seen : Infinity
  recordRead(ctx.state, file.real, { stats: file.stats, sha256 }, cut.size > 0 ? 'some' : { first: from, last })
  const format = formatNote(range)
  return {
    output: {
      kind: 'text',
      path: file.name,
      from,
      lines: lines.length,
      next: more ? seen + 1 : undefined,
      encoding: format,
      preview: cardPreview(lines.slice(0, 8).join('\n')),
    },
    // Join once. A string built by appending keeps all its pieces in memory.
    text: [...numberLines(range, from), `(${footer(range, from, format)})`].join('\n'),
  }
}

function numberLines({ lines, cut }: TextRange, from: number): string[] {
  return lines.map((line, index) => {
    const number = from + index
    const rest = cut.size === 0 ? undefined : cut.get(number)
    return `${String(number).padStart(6)}\t${line}${rest === undefined ? '' : ` [truncated: the line has ${rest} bytes]`}`
  })
}

function footer({ seen, more }: TextRange, from: number, format: string | undefined): string {
  const where = more
    ? `Showing lines ${from}-${seen}; there are more. Continue at offset ${seen + 1}.`
    : `End of file: ${seen} ${seen === 1 ? 'line' : 'lines'}.`
  return format === undefined ? where : `${where} ${format}; preserved when you change the file.`
}

/** Describes the format only if it is unusual. */
function formatNote({ format, endings }: TextRange): string | undefined {
  const isPlain = format.encoding === 'utf-8' && !format.bom
  const notes = [
    !isPlain && formatName(format),
    endings.crlf && (endings.lf ? 'both CRLF and LF line endings' : 'CRLF line endings'),
  ].filter((note) => note !== false)
  return notes.length === 0 ? undefined : notes.join(', ')
}

/**
 * Reads a document as Markdown. Undefined if it is of no format that can be read. With `isSource: false` the model needs
 * another read before it may replace the file.
 */
export async function readDocument(
  file: OpenedFile,
  part: DocumentPart,
  ctx: ToolContext,
  more: { notes?: readonly string[]; isSource?: boolean } = {},
): Promise<ReadResult | undefined> {
  const { documents } = ctx
  const source = { path: file.real }
  if (documents === undefined || (await documents.identify(source, ctx.signal)) === undefined) return undefined
  const answer = await documents.read(source, part, ctx.signal)
  const { format, title, mediaType, facts, text, next } = answer
  const notes = [
    ...(answer.notes ?? []),
    ...(more.notes ?? []),
    ...(isRecording(format) ? await transcriptNotes(ctx) : []),
  ]
  const images = await storeImages(answer.images ?? [], ctx)
  const isAll = next === undefined && more.isSource !== false
  recordRead(ctx.state, file.real, { stats: file.stats, sha256: '' }, isAll ? 'all' : 'some')
  const lines = [`${file.shown} is ${title}: ${facts}.`, ...notes, '', text]
  if (next !== undefined) lines.push('', `(There is more. Continue with ${JSON.stringify(next)}.)`)
  return {
    output: {
      kind: 'document',
      path: file.name,
      format,
      mediaType,
      facts,
      next,
      preview: cardPreview(text),
      lines: text.split('\n').length,
      ...images,
    },
    text: lines.join('\n').toWellFormed(),
  }
}

async function transcriptNotes({ transcription }: ToolContext): Promise<string[]> {
  const model = await transcription?.model()
  return model === undefined ? [] : ['Use Transcribe for the spoken words.']
}

/** Pictures of pages for a card. */
export function pagesOf(images: readonly PageImage[] = []): PagePicture[] | undefined {
  const pages = images.map(({ anchor, blob, mediaType }) => ({ title: anchor, sha256: blob, mediaType }))
  return pages.length === 0 ? undefined : pages
}

export async function storeImages(
  images: readonly DocumentImage[],
  ctx: ToolContext,
): Promise<{ images?: PageImage[] }> {
  const stored: PageImage[] = []
  for (const { anchor, bytes, mediaType, width, height } of images) {
    const blob = await ctx.blobs?.put(bytes, mediaType)
    if (blob !== undefined) stored.push({ anchor, blob: blob.sha256, mediaType, size: bytes.length, width, height })
  }
  return stored.length === 0 ? {} : { images: stored }
}

const maxMediaBytes = 32 * 2 ** 20
const headerBytes = 2 ** 18

/** Describes an image or PDF for the model and stores its bytes as a blob, if blobs are stored. */
export async function readMedia(
  file: OpenedFile,
  { kind, mediaType }: Extract<FileKind, { mediaType: string }>,
  ctx: ToolContext,
): Promise<ReadResult> {
  const { fd, size, shown, name } = file
  const header = Buffer.alloc(Math.min(size, headerBytes))
  readSync(fd, header, 0, header.length, 0)
  const pixels = imageSize(header, mediaType)
  const bytes = size <= maxMediaBytes ? await readOpenFile(fd, size) : undefined
  const blob = bytes === undefined ? undefined : await ctx.blobs?.put(bytes, mediaType)
  recordRead(ctx.state, file.real, { stats: file.stats, sha256: bytes === undefined ? '' : sha256Of(bytes) }, 'all')
  const what = kind === 'pdf' ? 'a PDF document' : `an image (${mediaType.slice('image/'.length).toUpperCase()})`
  const dimensions = pixels === undefined ? '' : `, ${pixels.width} x ${pixels.height} pixels`
  const kept = blob === undefined ? 'Its content cannot be shown here.' : `It is stored as blob ${blob.sha256}.`
  return {
    output: { kind, path: name, mediaType, size, ...pixels, blob: blob?.sha256 },
    text: [
      `${shown} is ${what}${dimensions}, ${formatCount(size, 'byte')}. ${mediaProblem({ kind, size, ...pixels }) ?? kept}`,
      ...(kind === 'image' ? await cameraFacts(file, header, ctx) : []),
    ].join('\n'),
  }
}

/** Camera, date and place that a picture has in its header, as lines. */
async function cameraFacts(file: OpenedFile, header: Buffer, { documents, signal }: ToolContext): Promise<string[]> {
  const hasAny = header.includes('Exif') || header.includes('http://ns.adobe.com/xap/')
  if (documents === undefined || !hasAny) return []
  // The picture is useful without its facts.
  const facts = await documents.read({ path: file.real }, {}, signal).catch(() => undefined)
  return facts === undefined || facts.text === '' ? [] : [facts.text]
}

const maxNotebookBytes = 50 * 2 ** 20

/**
 * Reads a notebook by cell. `offset` and `limit` count cells from 0. Returns undefined if the file is not a notebook,
 * so it is read as text.
 */
export async function readNotebook(
  file: OpenedFile,
  { offset = 0, limit = Infinity }: ReadRange,
  ctx: ToolContext,
): Promise<ReadResult | undefined> {
  if (file.size > maxNotebookBytes) return undefined
  const bytes = await readOpenFile(file.fd, file.size)
  let notebook: Notebook
  try {
    notebook = parseNotebook(decodeText(bytes, detectFormat(bytes)), file.shown)
  } catch {
    return undefined
  }
  const total = notebook.cells.length
  const texts: string[] = []
  for (let length = 0, number = offset; number < total && texts.length < limit && length < maxTextBytes; number++) {
    const text = formatCell(notebook.cells[number]!, number)
    texts.push(text)
    length += text.length
  }
  if (texts.length === 0 && offset > 0) {
    throw new Error(
      `${file.shown} has ${formatCount(total, 'cell')}, numbered from 0; there is none at offset ${offset}.`,
    )
  }
  const next = offset + texts.length
  const isAll = offset === 0 && next === total
  recordRead(ctx.state, file.real, { stats: file.stats, sha256: sha256Of(bytes) }, isAll ? 'all' : 'some')
  const footer =
    next < total
      ? `(Cells ${offset}-${next - 1} of ${total}, numbered from 0. Continue at offset ${next}.)`
      : `(End of notebook: ${formatCount(total, 'cell')}, numbered from 0; language ${notebookLanguage(notebook)}.)`
  const first = notebook.cells[offset]
  return {
    output: {
      kind: 'notebook',
      path: file.name,
      from: offset,
      cells: texts.length,
      total,
      next: next < total ? next : undefined,
      preview: first === undefined ? '' : cardPreview(cellSource(first)),
    },
    text: [...texts, footer].join('\n'),
  }
}
