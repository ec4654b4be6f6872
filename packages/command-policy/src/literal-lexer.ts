export type LiteralWords = { words: string[]; why?: undefined } | { words?: undefined; why: string }

const invisible = /[\p{Cc}\p{Cf}\p{Co}\p{Cs}\p{Cn}\p{Zl}\p{Zp}]|(?! )\p{Zs}/u
const bare = /[A-Za-z0-9_@%+=:,./^-]/
const operator = /[;|&<>\n]/

/**
 * Lexical gate, independent of the parser. Accepts a language small enough to parse a second time here: words of
 * harmless characters, quotes, comments, `;`, `|`, `&`, `<`, `>`. Rejects all expansions, invisible characters, and
 * non-ASCII outside quotes. The parser must produce the same words.
 */
export function lexLiteral(text: string): LiteralWords {
  const unseen = findInvisible(text)
  if (unseen !== undefined) return { why: unseen }
  const words: string[] = []
  let word: string | null = null
  let quoted = false
  const end = (): void => {
    if (word !== null) words.push(word)
    word = null
    quoted = false
  }
  for (let at = 0; at < text.length; at++) {
    const character = text[at] as string
    const next = text[at + 1] ?? ''
    if (character === ' ' || character === '\t') {
      end()
    } else if (operator.test(character)) {
      if (character === '<' && next === '<') return { why: 'It has a here-document.' }
      // Bash ends the token after `>&-`, whatever follows.
      if (/[<>]/.test(character) && next === '&' && !/^\d(?:[\s;|&<>]|$)/.test(text.slice(at + 2, at + 4)))
        return { why: 'It redirects in an unusual way.' }
      // A number directly before `<` or `>` is a file descriptor.
      if ((character === '<' || character === '>') && word !== null && !quoted && /^\d{1,9}$/.test(word)) word = null
      end()
    } else if (character === '#' && word === null) {
      const line = text.indexOf('\n', at)
      if (line === -1) break
      at = line - 1
    } else if (character === "'") {
      const close = text.indexOf("'", at + 1)
      if (close === -1) return { why: 'A quote is not closed.' }
      word = (word ?? '') + text.slice(at + 1, close)
      quoted = true
      at = close
    } else if (character === '"') {
      const read = readQuoted(text, at + 1)
      if (typeof read === 'string') return { why: read }
      word = (word ?? '') + read.value
      quoted = true
      at = read.end
    } else if (character === '\\') {
      if (!/[ -~]/.test(next)) return { why: 'A backslash is not followed by a character.' }
      word = (word ?? '') + next
      quoted = true
      at++
    } else if (isBare(character, word, next)) {
      word = (word ?? '') + character
    } else if (!quoted && revisionSuffix(text, at) !== undefined) {
      const suffix = revisionSuffix(text, at) as string
      word = (word ?? '') + suffix
      at += suffix.length - 1
    } else {
      return { why: `It has ${nameOf(character)} outside quotes.` }
    }
  }
  end()
  return { words }
}

/** Returns the braces of `HEAD@{1}` or `v1^{tree}`, which bash keeps as they are. */
export function revisionSuffix(text: string, at: number): string | undefined {
  return /[@^]/.test(text[at - 1] ?? '') ? /^\{[\w-]+\}/.exec(text.slice(at))?.[0] : undefined
}

/** Describes the first invisible character, or a space that does not separate words. */
export function findInvisible(text: string): string | undefined {
  const odd = invisible.exec(text.replaceAll(/[\n\t]/g, ''))
  return odd === null ? undefined : `It has an invisible character (${codePoint(odd[0])}).`
}

/** True if invisible characters occur only in quotes, in a text simple enough that the quotes are unambiguous. */
export function isOnlyQuoted(text: string): boolean {
  // `*` is allowed only in quotes.
  return (
    lexLiteral(text.replaceAll(/[^\n\t]/gu, (character) => (invisible.test(character) ? '*' : character))).why ===
    undefined
  )
}

function isBare(character: string, word: string | null, next: string): boolean {
  // `[` and `]` are test brackets if they stand alone, otherwise a pattern.
  if (character === '[' || character === ']') return word === null && (next === '' || /[\s;|&]/.test(next))
  if (character === '#') return true
  // A tilde expands at the start of a word and in what looks like an assignment.
  if (character === '~') return word !== null && word !== '' && !/[=:]/.test(word)
  return bare.test(character)
}

/** Reads up to the closing quote. Bash keeps a backslash there unless it escapes something. */
function readQuoted(text: string, start: number): { value: string; end: number } | string {
  let value = ''
  for (let at = start; at < text.length; at++) {
    const character = text[at] as string
    const next = text[at + 1] ?? ''
    if (character === '"') return { value, end: at }
    if (character === '`') return 'It has a command inside double quotes.'
    if (character === '$' && !/["\s|)]/.test(next)) return 'It has an expansion inside double quotes.'
    if (character === '\\') {
      if (next === '\n' || next === '') return 'It has a line continuation inside double quotes.'
      // In some encodings the backslash would be the second byte of the preceding character.
      if ((text[at - 1] ?? '') > '~') return 'A backslash follows a character that is not ASCII.'
      value += '$`"\\'.includes(next) ? next : `\\${next}`
      at++
      continue
    }
    value += character
  }
  return 'A quote is not closed.'
}

function nameOf(character: string): string {
  return character > '~' ? `the character ${codePoint(character)}` : `"${character}"`
}

function codePoint(character: string): string {
  return `U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}`
}
