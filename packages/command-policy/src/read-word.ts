import type { DoubleQuotedChild, ParsedScript, Word, WordPart } from 'unbash'

/** What a word may stand for before bash has run, as far as that can be told. */
export interface ReadWord {
  /** As written. */
  text: string
  /** What bash will make of it for certain; null when it expands anything. */
  value: string | null
  /**
   * The words it becomes at best guess: known variables, tildes and braces put in. What is not known is a `hole`, what
   * matches files a `star` or a `mark`.
   */
  fields: readonly string[]
}

/** Stand in a field for what bash will put there. Private-use characters, which no gate lets through. */
export const hole = '\u{E000}'
export const star = '\u{E001}'
export const mark = '\u{E002}'

/** What is known about variables where a word stands. */
interface WordContext {
  home: string
  cwd: string | null
  variables: ReadonlyMap<string, string>
  /** Nothing was handed to this shell, so `$1` and `$@` are empty. */
  bare: boolean
  /** What a substitution prints, where that is plain (`$(echo rm)`, `$(pwd)`). */
  output(script: ParsedScript): string | undefined
}

const maxFields = 64
/** A guess that has grown longer is none: variables can double each other. */
const maxFieldCharacters = 2000

export function readWord(word: Word, known: WordContext): ReadWord {
  const { text, parts } = word
  // The usual word, by far: nothing in it that means anything.
  if (parts === undefined && /^[A-Za-z0-9_@%+=:,./^-]*$/.test(text)) return { text, value: text, fields: [text] }
  const reading = new WordReader(known)
  if (parts === undefined) reading.bare(text, true, text)
  else for (const [index, part] of parts.entries()) reading.part(part, index === 0, text)
  return reading.end(text)
}

/** The fields of a word while it is read. Braces make several of the one at hand, unquoted blanks end it. */
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

  /** Text outside quotes: escapes, a tilde in front, and patterns that the parser left in it. */
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
        // A line that is continued leaves nothing behind.
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

  /** What an expansion became: outside quotes it is split at blanks. */
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
        // What is cut off blanks leaves a blank or nothing: `${IFS%??}` is the usual trick.
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

/** Whether all of a field is known. */
export function isWhole(field: string): boolean {
  return !/[\u{E000}-\u{E002}]/u.test(field)
}

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
