/* oxlint-disable no-control-regex -- control characters are what this is about */

export interface Paste {
  /** Without control characters. */
  text: string
  lines: number
  /** Characters that were removed: they would act as keys, or hide what the text says. */
  removed: number
  /** True if the person should look at it first. */
  needsConsent: boolean
}

// Everything but tab and line ends, then characters without a shape that reorder or hide others.
const hidden = /[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff]/g
export const longestPaste = 1_000_000

/**
 * Prepares pasted text. Several lines would run one by one, unless the program asked for bracketed paste and shows them
 * first. Text with control characters is never what the person saw when copying it.
 */
export function readPaste(given: string, { isBracketed }: { isBracketed: boolean }): Paste {
  // Joiners belong to emoji and to scripts that join letters.
  const text = given.replaceAll(hidden, (character) =>
    character === '\u200d' || character === '\u200c' ? character : '',
  )
  const removed = given.length - text.length
  const lines = text.split(/\r\n|\r|\n/).length
  const runs = /[\r\n]/.test(text) && !isBracketed
  return { text, lines, removed, needsConsent: removed > 0 || runs || given.length > longestPaste }
}
