import type { DoubleQuotedChild, ParsedScript, Word, WordPart } from 'unbash'
import { revisionSuffix } from './literal-lexer.ts'

export interface ReadWord {
  text: string
  /** Exact value, or null if the word contains any expansion. */
  value: string | null
  /**
   * Best guess of the resulting words, with known variables, tildes and braces expanded. A `hole` marks unknown text; a
   * `star` or `mark` matches files.
   */
  fields: readonly string[]
}

/** Placeholders in a field for text that bash fills in. They are private-use characters, which the lexer rejects. */
export const hole = '\u{E000}'
export const star = '\u{E001}'
export const mark = '\u{E002}'

interface WordContext {
  home: string
  cwd: string | null
  variables: ReadonlyMap<string, string>
  /** The shell got no arguments, so `$1` and `$@` are empty. */
  bare: boolean
  /** Returns the output of a simple substitution (`$(echo rm)`, `$(pwd)`). */
  output(script: ParsedScript): string | undefined
}

const maxFields = 64
/** Give up on longer guesses: variables can double each other. */
const maxFieldCharacters = 2000

export function readWord(word: Word, known: WordContext): ReadWord {
  const { text, parts } = word
  // Fast path: most words contain no special characters.
  if (parts === undefined && /^[A-Za-z0-9_@%+=:,./^-]*$/.test(text)) return { text, value: text, fields: [text] }
  const reading = new WordReader(known)
  if (parts === undefined) reading.bare(text, true, text)
  else for (const [index, part] of parts.entries()) reading.part(part, index === 0, text)
  return reading.end(text)
}

/** The fields of a word while it is read. Braces multiply the current field, unquoted blanks end it. */
class WordReader {
  #known: WordContext
  #done: string[] = []
  #current: string[] = ['']
  #started = false
  #certain = true
  #value = ''

  constructor(known: WordContext) {
    this.#known = known
  }

  part(part: WordPart | DoubleQuotedChild, first: boolean, whole: string): void {
    switch (part.type) {
      case 'Literal':
        return this.bare(part.text, first, whole)
      case 'SingleQuoted':
      case 'AnsiCQuoted':
        return this.#literal(part.value)
      case 'DoubleQuoted':
      case 'LocaleString':
        this.#started = true
        for (const child of part.parts) {
          if (child.type === 'Literal') this.#literal(child.value)
          else this.#expand(this.#expansion(child), true)
        }
        return
      case 'Glob':
        return this.#guess(part.kind === 'star' ? star : mark)
      case 'BraceExpansion':
        return this.#braces(part.text)
      case 'ExtendedGlob':
      case 'ProcessSubstitution':
        return this.#guess(hole)
      default:
        return this.#expand(this.#expansion(part), false)
    }
  }

  /** Reads unquoted text: escapes, a leading tilde, and patterns the parser left in place. */
  bare(text: string, first: boolean, whole: string): void {
    let at = 0
    if (first && text.startsWith('~')) {
      const user = /^~([^/]*)/.exec(text)?.[1] ?? ''
      this.#guess(this.#tilde(user))
      at = user.length + 1
    }
    const assignment = /^[A-Za-z_][A-Za-z0-9_]*\+?=/.test(whole)
    for (; at < text.length; at++) {
      const character = text[at] as string
      if (character === '\\') {
        at++
        // A continued line adds nothing.
        if (text[at] !== '\n') this.#literal(text[at] ?? '\\')
      } else if (character === '*') {
        this.#guess(star)
      } else if (character === '?') {
        this.#guess(mark)
      } else if (character === '[' && text.includes(']', at + 2)) {
        this.#guess(mark)
        at = text.indexOf(']', at + 2)
      } else if (character === '~' && assignment && /[=:]/.test(text[at - 1] ?? '')) {
        const user = /^~([^/:]*)/.exec(text.slice(at))?.[1] ?? ''
        this.#guess(this.#tilde(user))
        at += user.length
      } else if (revisionSuffix(text, at) !== undefined) {
        const suffix = revisionSuffix(text, at) as string
        this.#literal(suffix)
        at += suffix.length - 1
      } else if ((character === '{' || character === '}') && whole !== '{}') {
        this.#certain = false
        this.#literal(character)
      } else {
        this.#literal(character)
      }
    }
  }

  end(text: string): ReadWord {
    if (this.#started) this.#done.push(...this.#current)
    const fields = this.#done.slice(0, maxFields)
    if (this.#certain) return { text, value: this.#value, fields }
    return { text, value: null, fields: fields.map((field) => (field.length > maxFieldCharacters ? hole : field)) }
  }

  #literal(text: string): void {
    this.#started = true
    this.#value += text
    this.#append(text)
  }

  #guess(text: string): void {
    this.#certain = false
    if (text !== '') this.#started = true
    this.#append(text)
  }

  #append(text: string): void {
    for (let i = 0; i < this.#current.length; i++) this.#current[i] += text
  }

  #expand(value: string, quoted: boolean): void {
    if (quoted || !/[ \t\n]/.test(value)) return this.#guess(value)
    this.#certain = false
    for (const [index, piece] of value.split(/[ \t\n]+/).entries()) {
      if (index > 0) {
        if (this.#started) this.#done.push(...this.#current)
        this.#current = ['']
        this.#started = false
      }
      this.#guess(piece)
    }
  }

  #braces(text: string): void {
    const inner = text.slice(1, -1)
    const options = /[{}"'$`\\]/.test(inner) || !inner.includes(',') ? [hole] : inner.split(',')
    this.#certain = false
    this.#started = true
    if (this.#current.length * options.length > maxFields) return this.#append(hole)
    this.#current = this.#current.flatMap((before) => options.map((option) => before + option))
  }

  #tilde(user: string): string {
    if (user === '') return this.#known.home
    if (user === '+') return this.#known.cwd ?? hole
    if (user === 'root') return '/root'
    return /^[A-Za-z_]/.test(user) ? `/home/${user}` : hole
  }

  #expansion(part: Exclude<WordPart, { type: 'Literal' }>): string {
    switch (part.type) {
      case 'SimpleExpansion':
        return this.#variable(part.text.slice(1))
      case 'ParameterExpansion': {
        if (part.prefix !== undefined || part.index !== undefined) return hole
        const value = this.#variable(part.parameter)
        if (part.operation === undefined) return value
        // Trimming blanks leaves a blank or nothing: `${IFS%??}` is a common trick.
        if (part.parameter === 'IFS') return ' '
        if (part.operation.type !== 'Default' || !/^:?[-=]$/.test(part.operation.operator)) return hole
        return value === hole ? readWord(part.operation.operand, this.#known).fields.join(' ') : value
      }
      case 'CommandExpansion':
        return (part.script === undefined ? undefined : this.#known.output(part.script)) ?? hole
      default:
        return hole
    }
  }

  #variable(name: string): string {
    const set = this.#known.variables.get(name)
    if (set !== undefined) return set
    if (name === 'HOME') return this.#known.home
    if (name === 'PWD') return this.#known.cwd ?? hole
    if (name === 'IFS') return ' '
    return this.#known.bare && /^[1-9@*]$/.test(name) ? '' : hole
  }
}

export function isWhole(field: string): boolean {
  return !/[\u{E000}-\u{E002}]/u.test(field)
}

export interface ExpandedWord {
  field: string
  certain: boolean
  word: ReadWord
  network: boolean
}

export function expandedWords(word: ReadWord, network: boolean): ExpandedWord[] {
  if (word.value !== null) return [{ field: word.value, certain: true, word, network }]
  return word.fields.map((field) => ({ field, certain: false, word, network }))
}

/** Creates a word that does not come from the script text: `xargs`, a split string. */
export function syntheticWord(field: string, certain: boolean, network = false): ExpandedWord {
  const text = fieldAsShell(field)
  return { field, certain, word: { text, value: certain ? field : null, fields: [field] }, network }
}

export const fieldsOf = (pieces: readonly ExpandedWord[]): string[] => pieces.map(({ field }) => field)

/** Formats words: certain ones by value, others as written. A source word that became several appears once. */
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

/** Formats a field as shell text. Unknown parts become an unknown variable. */
export function fieldAsShell(field: string): string {
  return field.replaceAll(hole, '${_}').replaceAll(star, '*').replaceAll(mark, '?')
}
