/** Text split at invisible and bidirectional characters, so that users approve what they read. */
export type VisiblePiece = string | { codePoint: string }

// Controls, soft hyphen, directions, zero widths, fillers, line and paragraph separators, tags, and variation selectors
// other than those of emoji.
const invisible =
  '\\u0000-\\u0008\\u000B-\\u001F\\u007F-\\u009F\\u00AD\\u034F\\u061C\\u115F\\u1160\\u17B4\\u17B5\\u180B-\\u180F\\u200B-\\u200F\\u2028-\\u202E\\u2060-\\u206F\\u2800\\u3164\\uFE00-\\uFE0D\\uFEFF\\uFFA0\\uFFF0-\\uFFFB\\u{1BCA0}-\\u{1BCA3}\\u{1D173}-\\u{1D17A}\\u{E0000}-\\u{E0FFF}'
/** Look like a space, but are not one to a shell or compiler. */
const blanks = '\\u00A0\\u1680\\u2000-\\u200A\\u202F\\u205F\\u3000'

const patterns = {
  text: new RegExp(`[${invisible}]`, 'gu'),
  exact: new RegExp(`[${invisible}${blanks}]`, 'gu'),
  name: new RegExp(`[${invisible}${blanks}\\n\\t]`, 'gu'),
}

/** Characters to escape: in `text` only the invisible, in `exact` also blanks, in a `name` also line ends. */
export type Strictness = keyof typeof patterns

export function visiblePieces(text: string, strictness: Strictness = 'text'): VisiblePiece[] {
  const pieces: VisiblePiece[] = []
  let at = 0
  for (const { 0: character, index } of text.matchAll(patterns[strictness])) {
    if (index > at) pieces.push(text.slice(at, index))
    pieces.push({ codePoint: formatCodePoint(character) })
    at = index + character.length
  }
  if (at < text.length) pieces.push(text.slice(at))
  return pieces
}

/** Returns one string with each such character as its code point: ⟨U+202E⟩. */
export function visibleText(text: string, strictness: Strictness = 'text'): string {
  return visiblePieces(text, strictness)
    .map((piece) => (typeof piece === 'string' ? piece : `⟨${piece.codePoint}⟩`))
    .join('')
}

function formatCodePoint(character: string): string {
  return `U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}`
}
