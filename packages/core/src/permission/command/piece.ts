import { hole, mark, type ReadWord, star } from './read-word.ts'

/** One word as a program will get it, at best guess. */
export interface ExpandedWord {
  /** What it is, or is guessed to be, with holes. */
  field: string
  /** It is exactly that. */
  certain: boolean
  word: ReadWord
  /** Something from the network is in it. */
  network: boolean
}

export function expandedWords(word: ReadWord, network: boolean): ExpandedWord[] {
  if (word.value !== null) return [{ field: word.value, certain: true, word, network }]
  return word.fields.map((field) => ({ field, certain: false, word, network }))
}

/** A word that somebody else puts there: `xargs`, a split string. */
export function syntheticWord(field: string, certain: boolean, network = false): ExpandedWord {
  const text = fieldAsShell(field)
  return { field, certain, word: { text, value: certain ? field : null, fields: [field] }, network }
}

export const fieldsOf = (pieces: readonly ExpandedWord[]): string[] => pieces.map(({ field }) => field)

/** Pieces as text: certain ones by value, others as written, one that became several words once. */
export function shellText(pieces: readonly ExpandedWord[]): string {
  return pieces
    .filter((piece, index) => piece.certain || pieces[index - 1]?.word !== piece.word)
    .map(({ certain, field, word }) => (certain ? quote(field) : word.text))
    .join(' ')
}

function quote(word: string): string {
  return /^[^\s'"\\$`*?[\]{}()<>|&;#~]+$/.test(word) || word === '[' || word === ']' || word === '{}'
    ? word
    : `'${word.replaceAll("'", `'\\''`)}'`
}

/** A field as shell text: what is not known becomes a variable that is not known. */
export function fieldAsShell(field: string): string {
  return field.replaceAll(hole, '${_}').replaceAll(star, '*').replaceAll(mark, '?')
}
