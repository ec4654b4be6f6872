import type { Buffer } from 'node:buffer'

export interface TextEdit {
  oldText: string
  newText: string
  all: boolean
}

/** Bytes of the file that are replaced. */
export interface Replacement {
  start: number
  end: number
  bytes: Buffer
}

export interface EditPlan {
  /** In order, apart from each other. */
  replacements: Replacement[]
  /** How it was found, when it was not there letter by letter. */
  note?: string
}
