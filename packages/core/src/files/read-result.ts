import type { BigIntStats } from 'node:fs'
import type { FolderDisplayEntry } from '../protocol/display.ts'

/** What Read returns beside the text for the model. Paths are relative to the workspace where they lie inside it. */
export type ReadOutput =
  | {
      kind: 'text'
      path: string
      /** The first line shown, counted from 1, and how many. */
      from: number
      lines: number
      /** Where to go on, when there is more. */
      next?: number
      /** Named when it is not plain UTF-8. */
      encoding?: string
      /** A short beginning, for the card. */
      preview: string
    }
  | {
      kind: 'notebook'
      path: string
      /** The first cell shown, counted from 0, and how many of all. */
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
      /** The SHA-256 of the blob that holds the bytes, where blobs are kept. */
      blob?: string
    }
  | { kind: 'folder'; path: string; entries: FolderDisplayEntry[]; left: number }

export interface ReadResult {
  output: ReadOutput
  /** For the model. */
  text: string
}

/** A file that Read has opened. */
export interface OpenedFile {
  /** Real path. */
  real: string
  /** How the model knows it. */
  shown: string
  /** How a person knows it. */
  name: string
  fd: number
  size: number
  stats: BigIntStats
}

export interface ReadRange {
  offset?: number | undefined
  limit?: number | undefined
}

/** The beginning of a text for a card. */
export function cardPreview(text: string): string {
  return text.split('\n', 8).join('\n').slice(0, 400).toWellFormed()
}
