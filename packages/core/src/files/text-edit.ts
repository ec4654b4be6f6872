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
export interface EditMatch {
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

/** The bytes of the file after the edit, in pieces that share the memory of what they came from while they are few. */
export function applyReplacements(bytes: Buffer, { replacements }: EditPlan): Buffer[] {
  if (replacements.length > maxPieces) return [joinReplacements(bytes, replacements)]
  const pieces: Buffer[] = []
  let at = 0
  for (const { start, end, bytes: inserted } of replacements) {
    pieces.push(bytes.subarray(at, start), inserted)
    at = end
  }
  return [...pieces, bytes.subarray(at)]
}

/** To write very many small pieces takes longer than to join them. */
const maxPieces = 500

function joinReplacements(bytes: Buffer, replacements: readonly Replacement[]): Buffer {
  const grown = replacements.reduce((sum, { start, end, bytes: inserted }) => sum + inserted.length - (end - start), 0)
  const result = Buffer.allocUnsafe(bytes.length + grown)
  let [from, to] = [0, 0]
  for (const { start, end, bytes: inserted } of replacements) {
    to += bytes.copy(result, to, from, start)
    to += inserted.copy(result, to)
    from = end
  }
  bytes.copy(result, to, from)
  return result
}
