import type { DocumentFormat, DocumentPart, DocumentText } from '@troupe/core'

/**
 * A reader turns files of one format into Markdown. Each reader is one file in `readers/`, named after the format, with
 * `defineReader({...})` as its default export. It runs in a separate process that is killed after a time limit, so it
 * may block. Import large libraries inside `read`, because every reader is loaded at the start.
 */
export interface DocumentReader {
  /** In messages: `a PDF document`, `an Excel workbook`. */
  title: string
  /** In lower case, without the dot. Decides between formats with the same first bytes. */
  extensions: readonly string[]
  mediaTypes: readonly string[]
  /** Reads archives of any content. Another reader that matches goes first. */
  isContainer?: true
  /** True if the content is of this format; `head` has its first 8 KiB. Absent: only the extension decides. */
  matches?(head: Buffer, source: DocumentSource): boolean | Promise<boolean>
  /**
   * For formats that are plain text. True if text looks like this format, although its name is that of another document
   * (`kind` is the format that it stands for), or of no certain kind (`kind` is undefined).
   */
  looksLike?(text: string, kind: string | undefined): boolean
  /** Throws an Error whose message tells the model what to do. */
  read(source: DocumentSource, part: DocumentPart): Promise<DocumentReading>
}

/** The answer of a reader. What it does not say about the format comes from the reader. */
export type DocumentReading = Omit<DocumentText, keyof DocumentFormat> & Partial<DocumentFormat>

/** The file to read. All reads check bounds: fewer bytes come back at its end. */
export interface DocumentSource {
  /** Absolute. */
  path: string
  /** The name a person knows the file by, which may differ from the name on disk. */
  name: string
  size: number
  bytesAt(position: number, length: number): Promise<Buffer>
  /** The whole file. Throws if it is longer than `most` bytes. */
  bytes(most: number): Promise<Buffer>
  /** True after about half the time limit: return what is there, with `next`. */
  isLate(): boolean
  /** Hands a PNG to text recognition and returns a mark that its text replaces. Absent if none is installed. */
  recognize?(picture: Uint8Array): string
}

export function defineReader(reader: DocumentReader): DocumentReader {
  return reader
}

/** Longest text of one answer, in characters. Readers stop there and say where to continue. */
export const maxCharacters = 50_000

/** Takes the place of the text of a picture until it is recognized. Readers drop NUL, so no document contains it. */
export function scanMark(index: number): string {
  return `\0scan ${index}\0`
}
