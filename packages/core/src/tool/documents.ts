import type { DocumentLayout } from '@troupe/protocol'
import type { OfficeAction } from './office-actions.ts'

/**
 * Documents as Markdown (`ctx.documents`). Everything heavy runs in another process, which is killed when it takes too
 * long. Absent where documents cannot be read.
 */
export interface Documents {
  /** The format of a file by its first bytes and its name. Undefined for plain text and for unknown binaries. */
  identify(file: DocumentFile, signal?: AbortSignal): Promise<DocumentFormat | undefined>
  /** Rejects with a reason for the model: encrypted, damaged, too large, no such page. */
  read(file: DocumentFile, part: DocumentPart, signal?: AbortSignal): Promise<DocumentText>
  /** Computes a changed or new office file. Writes nothing. Rejects with a reason for the model. */
  edit?(request: OfficeRequest, signal?: AbortSignal): Promise<OfficeEdit>
  /** A page to print, from Markdown or from the text of a document. It loads nothing. Rejects with a reason for the model. */
  html?(request: HtmlRequest, signal?: AbortSignal): Promise<string>
}

/** `pictures` are real paths of the pictures that the Markdown names. */
export type HtmlRequest = { markdown: string; pictures: Readonly<Record<string, string>> } | { file: DocumentFile }

/** Prints pages (`ctx.printer`) in another process, without network. */
export interface PagePrinter {
  isAvailable(): boolean
  pdf(html: string, signal?: AbortSignal): Promise<Uint8Array>
}

export interface DocumentFile {
  /** Absolute path of a regular file that the caller may read. */
  path: string
  /** The name to show and to take the extension from. Default: the name on disk. */
  name?: string | undefined
}

export interface DocumentFormat {
  /** Name of the reader: `pdf`, `docx`. */
  format: string
  /** `a PDF document` */
  title: string
  mediaType: string
}

/** The part to read. What does not apply to a format is an error that says so. */
export interface DocumentPart {
  /** Pages or slides: `3`, `10-20`, `1,5-7`, `12-`. */
  pages?: string | undefined
  sheet?: string | undefined
  /** Cells, such as `B4:D20`. */
  range?: string | undefined
  /** Number of the first line, row, message or entry, from 1. */
  offset?: number | undefined
  /** Number of lines, rows, messages or entries. */
  limit?: number | undefined
  /** Pictures of the pages instead of text, for models that see. */
  images?: boolean | undefined
  /** Only the facts and the outline. */
  outline?: boolean | undefined
  /** Cells of a sheet as data instead of text. */
  cells?: boolean | undefined
  /** A Word document with its formatting instead of text. */
  layout?: boolean | undefined
}

export interface DocumentText extends DocumentFormat {
  /** One line: `12 pages, A4, tagged`. */
  facts: string
  /** Markdown with anchors that a model can cite: `[p. 12]`, `[Sheet1!B4:D20]`, `[slide 3]`. */
  text: string
  /** The part to ask for next. Absent at the end. */
  next?: DocumentPart | undefined
  /** Sentences a person and a model should know: hidden sheets, macros that were not run, pages without text. */
  notes?: readonly string[] | undefined
  images?: readonly DocumentImage[] | undefined
  /** Length of a recording. */
  seconds?: number | undefined
  /** In answer to `cells`. */
  cells?: DocumentCells | undefined
  /** In answer to `layout`. */
  layout?: DocumentLayout | undefined
}

/** Cells of one sheet, and the sheets there are. Rows and columns count from 1. */
export interface DocumentCells {
  sheets: { name: string; isHidden: boolean }[]
  sheet: string
  /** Extent of the sheet. Only in answers to a part without `range`. */
  rows?: number | undefined
  columns?: number | undefined
  /** Rows with at least one cell. */
  read: DocumentRow[]
  /** First row that was left out, because the answer is full. */
  nextRow?: number | undefined
  merged: { top: number; left: number; bottom: number; right: number }[]
}

export interface DocumentRow {
  number: number
  isHidden?: boolean | undefined
  cells: { column: number; text: string; formula?: string | undefined; isNumber?: boolean | undefined }[]
}

export interface DocumentImage {
  /** `p. 12` */
  anchor: string
  bytes: Uint8Array
  mediaType: string
  width: number
  height: number
}

/** An attached file of a message, as a blob. */
export interface AttachedFile {
  /** The session of the message. */
  sessionId: string
  sha256: string
  filename: string
}

/** Attached files of a chat (`RunInput.attachments`). */
export interface Attachments {
  /**
   * Describes a file as text, for a model that cannot take the file itself: its content, or for a long one its facts,
   * its outline, and the path under which `Read` opens it. Gives the same text on every turn. Undefined if it is no
   * document, or cannot be read.
   */
  textOf(file: AttachedFile, signal?: AbortSignal): Promise<string | undefined>
  /** The path under which tools can read the file. */
  pathOf(file: AttachedFile): Promise<string | undefined>
}

export type OfficeFormat = 'docx' | 'xlsx' | 'pptx'

export interface OfficeRequest {
  format: OfficeFormat
  /** The file to start from. Absent: an empty file. */
  file?: DocumentFile | undefined
  /** Extension of the file to write. A template becomes a document, and the other way round. */
  extension?: string | undefined
  actions: readonly OfficeAction[]
  /** Real paths of pictures that the actions name. */
  pictures?: Readonly<Record<string, string>> | undefined
  /** The same workbook with results for its formulas, to take over. */
  results?: DocumentFile | undefined
  /** For tracked changes and comments, in ISO form. */
  date: string
}

/** A changed file, as parts of the old one (from `start` to `end`) and new bytes. */
export interface OfficeEdit {
  pieces: readonly ({ start: number; end: number } | Uint8Array)[]
  /** Hash of the file that the pieces belong to. Absent for a new file. */
  sha256?: string | undefined
  /** The concerned paragraphs, cells or slides before and after, one per line. */
  before: string
  after: string
  /** Names of the parts in the archive that were written, added or removed. */
  parts: readonly string[]
  /** Sentences for people and models: macros that were kept, formulas that call out. */
  notes: readonly string[]
}
