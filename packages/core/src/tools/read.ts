import { closeSync } from 'node:fs'
import path from 'node:path'
import type { Display } from '@troupe/protocol'
import { z } from 'zod'
import { markNotesShown, unseenFolderNotes } from '../files/agents-md.ts'
import { databaseName, fileKind, headLength, htmlFiles, isConvertedText } from '../files/file-kind.ts'
import { lookalikePath, missingFileMessage } from '../files/missing-file.ts'
import {
  type OpenedFile,
  pagesOf,
  readDocument,
  readMedia,
  readNotebook,
  type ReadOutput,
  type ReadRange,
  type ReadResult,
  readText,
} from '../files/read-file.ts'
import { readFolder } from '../files/list-folder.ts'
import { type ResolvedPath, resolvePath, shownPath } from '../files/resolve-path.ts'
import { openFile, readError, readOpenFile, recordRead, sha256Of } from '../files/snapshot.ts'
import { isDatabasePath } from '../search/query-files.ts'
import { formatCount } from '../text/format.ts'
import type { DocumentPart } from '../tool/documents.ts'
import { defineTool, type ToolContext, withModelText } from '../tool/tool.ts'

export default defineTool({
  description: `Reads a file in the workspace. Text is returned with line numbers, up to 2,000 lines or 50 KB from "offset". Folders are listed, notebooks shown by cell, images as they are; PDFs, office files, HTML, mail and archives become Markdown. Read a file before you change it.`,
  input: z.object({
    file_path: z.string().describe('Absolute, or relative to the working directory'),
    offset: z.int().nonnegative().describe('The line to start from. The first line is 1').optional(),
    limit: z.int().positive().describe('How many lines to read').optional(),
    pages: z.string().max(200).describe('Of a document: "3", "10-20"').optional(),
    sheet: z.string().max(200).optional(),
    range: z.string().max(50).describe('Cells: "B4:D20"').optional(),
    images: z.boolean().describe('Pages as pictures').optional(),
    raw: z.boolean().describe('The source of an HTML file, by lines').optional(),
  }),
  readOnly: true,
  group: 'file-read',
  touches: ({ file_path }) => [{ kind: 'read', path: file_path }],
  title: ({ file_path }) => `Read ${file_path}`,
  permission: ({ file_path }) => ({ title: 'Read a file', summary: file_path }),
  async execute(input, ctx): Promise<ReadOutput> {
    const target = resolveForReading(input.file_path, ctx)
    const { output, text } = await readTarget(target, input, ctx)
    const notes = unseenFolderNotes(ctx, output.kind === 'folder' ? target.path : path.dirname(target.path))
    return withModelText(output, notes === '' ? text : `${text}\n\n${notes}`)
  },
  display: (output) => ({ title: `Read ${output.path}`, summary: summaryOf(output), content: contentOf(output) }),
})

/** A missing name may be a lookalike of an existing one, but never of one that a rule hides. */
function resolveForReading(given: string, ctx: ToolContext): ResolvedPath {
  const target = resolvePath(ctx, given, { for: 'read' })
  if (target.stats !== undefined) return target
  const other = lookalikePath(target.path)
  if (other === undefined || ctx.granted?.hides?.(other) === true) return target
  const found = resolvePath(ctx, other, { for: 'read' })
  return found.path === other && found.stats?.isFile() === true ? found : target
}

/** Files up to this size are read completely and identified by their hash. */
const wholeBytes = 2 ** 18
/** First read of longer files: enough for the lines shown from the start. */
const headBytes = 2 ** 16
/** Longer pages are shown by lines. */
const maxPageBytes = 50 * 2 ** 20

/** Lines of a text, or a part of a document. */
type ReadPart = ReadRange & Pick<DocumentPart, 'pages' | 'sheet' | 'range' | 'images'> & { raw?: boolean | undefined }

async function readTarget(target: ResolvedPath, range: ReadPart, ctx: ToolContext): Promise<ReadResult> {
  const { path: real, shown, stats } = target
  if (stats === undefined) throw new Error(missingFileMessage(target, ctx.state))
  const name = shownPath(real, ctx.state.roots[0] ?? real)
  if (stats.isDirectory()) {
    const { offset = 1, limit = 500 } = range
    return readFolder(
      { real, shown, name },
      { depth: 1, limit: Math.min(limit, 5000), offset: Math.max(1, offset) },
      ctx,
    )
  }
  const { fd, stats: opened } = open(real, shown)
  try {
    const file = { real, shown, name, fd, size: Number(opened.size), stats: opened }
    markNotesShown(ctx.state, real)
    return await readFile(file, range, ctx)
  } finally {
    closeSync(fd)
  }
}

async function readFile(file: OpenedFile, range: ReadPart, ctx: ToolContext): Promise<ReadResult> {
  const { real, shown, name, fd, size, stats } = file
  const head = await readOpenFile(fd, size <= wholeBytes ? size : headBytes)
  if (head.length === 0) {
    recordRead(ctx.state, real, { stats, sha256: sha256Of(head) }, 'all')
    return {
      output: { kind: 'text', path: name, from: 1, lines: 0, preview: '' },
      text: `${shown} is empty (0 bytes).`,
    }
  }
  const kind = fileKind(head.subarray(0, headLength))
  const isPart = range.pages !== undefined || range.sheet !== undefined || range.range !== undefined
  // The source of a drawing is text, which is shown unless its picture is asked for.
  const isDrawing = range.images === true && /\.svg$/i.test(real)
  const isConverted = range.raw !== true && isConvertedText(real, head)
  if (kind.kind === 'binary' || kind.kind === 'pdf' || isPart || isConverted || isDrawing) {
    const document = await readDocument(file, documentPart(range), ctx)
    if (document !== undefined) return document
    if (isPart) throw new Error(`${shown} has no pages, sheets or ranges. Use "offset" and "limit".`)
  }
  if (kind.kind === 'binary') {
    const what = `${shown} is ${kind.name}, ${formatCount(size, 'byte')}, not text.`
    const isDatabase = kind.name === databaseName && ctx.queries !== undefined && isDatabasePath(shown)
    throw new Error(
      isDatabase ? `${what} Use Query with it as "connection".` : `${what} Use a command that can open it.`,
    )
  }
  if (kind.kind !== 'text') return readMedia(file, kind, ctx)
  const page = htmlFiles.test(real) && range.raw !== true ? await readPage(file, range, ctx) : undefined
  if (page !== undefined) return page
  const notebook = real.endsWith('.ipynb') ? await readNotebook(file, range, ctx) : undefined
  return notebook ?? readText(file, head, range, ctx)
}

/**
 * The text of an HTML page. Undefined if it has none, such as a page that a script fills, or is too large. The model has
 * not seen the source, so it counts as read in part.
 */
async function readPage(file: OpenedFile, range: ReadPart, ctx: ToolContext): Promise<ReadResult | undefined> {
  if (file.size > maxPageBytes) return undefined
  const note = 'Numbers count paragraphs. Read it with "raw": true for its source by lines, such as to change it.'
  const more = { notes: [note], isSource: false }
  const page = await readDocument(file, documentPart(range), ctx, more).catch((error: unknown) => {
    ctx.signal.throwIfAborted()
    throw new Error(`${(error as Error).message} Read it with "raw": true for lines of its source.`, { cause: error })
  })
  return page?.output.kind === 'document' && page.output.facts.startsWith('0 paragraphs') ? undefined : page
}

/** The fields that a document knows. The call has others. */
function documentPart({ pages, sheet, range, offset, limit, images }: ReadPart): DocumentPart {
  return { pages, sheet, range, offset: offset === 0 ? undefined : offset, limit, images }
}

function open(real: string, shown: string): ReturnType<typeof openFile> {
  try {
    return openFile(real)
  } catch (error) {
    throw readError(error, shown)
  }
}

function summaryOf(output: ReadOutput): string {
  switch (output.kind) {
    case 'text':
      if (output.lines === 0) return 'empty'
      return `lines ${output.from} to ${output.from + output.lines - 1}${output.next === undefined ? '' : ', more below'}`
    case 'notebook':
      return `${output.cells} of ${formatCount(output.total, 'cell')}`
    case 'document':
      return output.facts
    case 'folder':
      return formatCount(output.entries.length + output.left, 'entry', 'entries')
    case 'image':
    case 'pdf':
      return `${output.mediaType}, ${formatCount(output.size, 'byte')}`
  }
}

function contentOf(output: ReadOutput): Display {
  const { path: name } = output
  switch (output.kind) {
    case 'text':
      return {
        kind: 'file',
        path: name,
        text: output.preview,
        from: output.from,
        lines: output.lines,
        more: output.next !== undefined,
      }
    case 'notebook':
      return {
        kind: 'file',
        path: name,
        text: output.preview,
        from: 1,
        lines: output.cells,
        more: output.next !== undefined,
      }
    case 'document':
      return {
        kind: 'file',
        path: name,
        text: output.preview,
        from: 1,
        lines: output.lines,
        more: output.next !== undefined,
        isMarkdown: true,
        pages: pagesOf(output.images),
      }
    case 'folder':
      return { kind: 'list', path: name, entries: output.entries, left: output.left }
    case 'image':
    case 'pdf': {
      const { mediaType, size, blob } = output
      return { kind: 'image', path: name, mediaType, size, sha256: blob }
    }
  }
}
