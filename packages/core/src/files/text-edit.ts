import { Buffer } from 'node:buffer'

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

/** A place where a text was found. */
export interface Match {
  /** In bytes. */
  start: number
  replacement(): Replacement
}

export interface EditPlan {
  /** In order, apart from each other. */
  replacements: readonly Replacement[]
  /** How it was found, when it was not there letter by letter. */
  note?: string
}

/** The bytes of the file after the edit, in pieces that share the memory of what they came from. */
export function applyPlan(bytes: Buffer, { replacements }: EditPlan): Buffer[] {
  const pieces: Buffer[] = []
  let at = 0
  for (const { start, end, bytes: inserted } of replacements) {
    pieces.push(bytes.subarray(at, start), inserted)
    at = end
  }
  pieces.push(bytes.subarray(at))
  return pieces.length > maxPieces ? [Buffer.concat(pieces)] : pieces
}

/** To write very many small pieces takes longer than to join them. */
const maxPieces = 1000
