import { revisionSuffix } from '../literal-lexer.ts'
import {
  type InnerScript,
  type RawWord,
  type ScriptStep,
  type Trim,
  UnsupportedSyntax,
  type WordPart,
} from './simple-script.ts'

const mostNumbers = 100

/** Reads the words of a script. The commands of a substitution are read by `list`. */
export abstract class WordParser {
  words: { at: number; text: string }[] = []
  readonly inner: InnerScript[] = []
  protected readonly text: string
  protected at = 0
  /** Number of open brackets. A `)` then ends a word. */
  protected open = 0
  /** Delimiters of here-documents that start after this line. */
  protected documents: { end: string; literal: boolean }[] = []

  constructor(text: string) {
    this.text = text
  }

  /** Reads commands up to the end of the text or up to an end keyword, which it leaves unread. */
  protected abstract list(...ends: string[]): ScriptStep[]

  protected word(): RawWord | undefined {
    this.blanks(false)
    const start = this.at
    const parts: WordPart[] = []
    let bare: string | undefined = ''
    for (; this.at < this.text.length; this.at++) {
      const character = this.text[this.at] as string
      const next = this.text[this.at + 1] ?? ''
      if (/[\s;|&<>]/.test(character) || (character === ')' && this.open > 0)) break
      const plain = this.#plainPart(character, start)
      if (plain !== undefined) {
        parts.push({ kind: 'text', text: plain })
        if (bare !== undefined) bare += plain
        continue
      }
      bare = undefined
      if (character === "'") {
        const close = this.text.indexOf("'", this.at + 1)
        if (close === -1) throw new UnsupportedSyntax()
        parts.push({ kind: 'text', text: this.text.slice(this.at + 1, close) })
        this.at = close
      } else if (character === '"') {
        this.#quoted(parts)
      } else if (character === '\\') {
        if (!/[ -~]/.test(next)) throw new UnsupportedSyntax()
        parts.push({ kind: 'text', text: next })
        this.at++
      } else {
        parts.push(this.#expansion(character, next, start))
      }
    }
    if (this.at === start) return undefined
    const raw = this.text.slice(start, this.at)
    this.words.push({ at: start, text: raw })
    return { parts, raw, bare }
  }

  #plainPart(character: string, start: number): string | undefined {
    if (/[A-Za-z0-9_@%+=:,./^-]/.test(character)) return character
    // Bash expands a tilde at the start, and in what looks like an assignment.
    if (character === '~' && this.at > start && !/[=:]/.test(this.text.slice(start, this.at))) return character
    if (character === '!' && this.at === start && /^\s/.test(this.text[this.at + 1] ?? '')) return character
    const [brackets] = this.at === start ? (/^(?:\[\[|\]\]|\[|\])(?=[\s;|&]|$)/.exec(this.text.slice(start)) ?? []) : []
    if (brackets === undefined) return undefined
    this.at += brackets.length - 1
    return brackets
  }

  /** Reads an unquoted expansion and stops on its last character. */
  #expansion(character: string, next: string, start: number): WordPart {
    const rest = this.text.slice(this.at)
    const [set] = /^\[!?[\w.-]+\]/.exec(rest) ?? []
    if (character === '*' || character === '?' || set !== undefined) {
      this.at += (set ?? character).length - 1
      return { kind: 'pattern', text: set ?? character }
    }
    const [tab, escaped = ''] = /^\$'((?:[^'\\\n]|\\[tn\\])*)'/.exec(rest) ?? []
    if (tab !== undefined) {
      this.at += tab.length - 1
      const plain = escaped.replaceAll(/\\(.)/g, (_, one: string) => ({ t: '\t', n: '\n' })[one] ?? one)
      return { kind: 'text', text: plain }
    }
    if (character === '$') return this.#variable(false)
    const suffix = next === '}' && character === '{' ? '{}' : revisionSuffix(this.text, this.at)
    if (suffix !== undefined) {
      this.at += suffix.length - 1
      return { kind: 'text', text: suffix }
    }
    const options = character === '{' ? optionsOf(rest) : undefined
    if (options !== undefined) {
      this.at += options.length - 1
      return { kind: 'choice', options: options.options }
    }
    if (character === '~' && this.at === start && /^[\s/;|&<>]?$/.test(next))
      return { kind: 'variable', name: 'HOME', quoted: true }
    throw new UnsupportedSyntax()
  }

  /** Reads up to the closing quote and stops on it. */
  #quoted(parts: WordPart[]): void {
    // An empty quoted string still makes a word.
    parts.push({ kind: 'text', text: '' })
    for (this.at++; this.at < this.text.length; this.at++) {
      const character = this.text[this.at] as string
      const next = this.text[this.at + 1] ?? ''
      if (character === '"') return
      if (character === '`') throw new UnsupportedSyntax()
      if (character === '\\') {
        if (!/[ -~]/.test(next) || (this.text[this.at - 1] ?? '') > '~') throw new UnsupportedSyntax()
        parts.push({ kind: 'text', text: '$`"\\'.includes(next) ? next : `\\${next}` })
        this.at++
      } else if (character === '$' && !/["\s|)]/.test(next)) {
        parts.push(this.#variable(true))
      } else {
        parts.push({ kind: 'text', text: character })
      }
    }
    throw new UnsupportedSyntax()
  }

  /** Reads `$name`, `${name}`, `${name%pattern}`, `$(…)` and stops on its last character. */
  #variable(quoted: boolean): WordPart {
    const rest = this.text.slice(this.at)
    const [special, mark = ''] = /^\$(?:([?$])|\(\([\d\s+*/%-]+\)\))/.exec(rest) ?? []
    if (special !== undefined) {
      this.at += special.length - 1
      return { kind: 'variable', name: mark || '?', quoted }
    }
    const [length] = /^\$\{#[A-Za-z_]\w*\}/.exec(rest) ?? []
    if (length !== undefined) {
      this.at += length.length - 1
      return { kind: 'sum', names: [] }
    }
    const [sum, computed = ''] = /^\$\(\(([\w\s+*/%-]+)\)\)/.exec(rest) ?? []
    if (sum !== undefined) {
      this.at += sum.length - 1
      return { kind: 'sum', names: computed.match(/[A-Za-z_]\w*/g) ?? [] }
    }
    if (rest.startsWith('$(')) return { kind: 'output', steps: this.#innerScript(), quoted, file: false }
    const [whole = '', plain, braced, operator, pattern = '', fallback] =
      /^\$(?:([A-Za-z_][A-Za-z0-9_]*|[1-9](?!\d))|\{([A-Za-z_][A-Za-z0-9_]*)(?:(##?|%%?)([\w./*-]+)|(:?-[\w ./:-]*))?\})/.exec(
        rest,
      ) ?? []
    const name = plain ?? braced
    if (name === undefined) throw new UnsupportedSyntax()
    this.at += whole.length - 1
    return {
      kind: 'variable',
      name,
      quoted,
      ...(operator === undefined ? {} : { trim: { operator: operator as Trim['operator'], pattern } }),
      ...(fallback === undefined ? {} : { fallback: true as const }),
    }
  }

  /** Reads the commands in `$(…)` or `<(…)` and stops on the closing bracket. Their words count separately. */
  #innerScript(): ScriptStep[] {
    const { words } = this
    this.words = []
    this.at += 2
    const start = this.at
    if (this.text[start] === '(' || this.documents.length > 0) throw new UnsupportedSyntax()
    this.open++
    const steps = this.list(')')
    this.open--
    if (this.text[this.at] !== ')') throw new UnsupportedSyntax()
    const text = this.text.slice(start, this.at)
    this.inner.push({ text, words: this.words.map((word) => ({ ...word, at: word.at - start })) })
    this.words = words
    return steps
  }

  /** Reads `<(command)`: a file with its output. */
  protected outputFile(): RawWord | undefined {
    if (!this.text.startsWith('<(', this.at)) return undefined
    const start = this.at
    const steps = this.#innerScript()
    this.at++
    if (!/^(?:[\s;|&)]|$)/.test(this.text.slice(this.at))) throw new UnsupportedSyntax()
    const raw = this.text.slice(start, this.at)
    this.words.push({ at: start, text: raw })
    return { parts: [{ kind: 'output', steps, quoted: true, file: true }], raw }
  }

  protected blanks(lines: boolean): void {
    for (;;) {
      const [blanks = ''] = (lines ? /^(?:[ \t\n]|\\\n)+/ : /^(?:[ \t]|\\\n)+/).exec(this.text.slice(this.at)) ?? []
      // A here-document would begin here.
      if (this.documents.length > 0 && blanks.includes('\n')) throw new UnsupportedSyntax()
      this.at += blanks.length
      if (this.text[this.at] !== '#') return
      // It might hide the closing bracket.
      if (this.open > 0 || this.documents.length > 0) throw new UnsupportedSyntax()
      const end = this.text.indexOf('\n', this.at)
      this.at = end === -1 ? this.text.length : end
    }
  }

  protected keyword(word: string): boolean {
    if (!this.isNext(word)) return false
    this.at += word.length
    return true
  }

  protected isNext(word: string): boolean {
    this.blanks(false)
    if (!this.text.startsWith(word, this.at)) return false
    const next = this.text[this.at + word.length] ?? ''
    return word === ')' || next === '' || /[ \t\n;|&<>]/.test(next) || (next === ')' && this.open > 0)
  }
}

/** The choices of `{a,b}` or `{1..3}` at the start of a text. */
function optionsOf(text: string): { options: readonly string[]; length: number } | undefined {
  const [choice] = /^\{[\w./*-]+(,[\w./*-]+)+\}/.exec(text) ?? []
  if (choice !== undefined) return { options: choice.slice(1, -1).split(','), length: choice.length }
  const [letters, start = '', end = ''] = /^\{([a-z])\.\.([a-z])\}/.exec(text) ?? []
  if (letters !== undefined && start <= end) {
    const codes = numbersBetween(start.charCodeAt(0), end.charCodeAt(0)) ?? []
    return { options: codes.map((code) => String.fromCharCode(Number(code))), length: letters.length }
  }
  const [range, from = '', to = ''] = /^\{(0|[1-9]\d{0,3})\.\.(0|[1-9]\d{0,3})\}/.exec(text) ?? []
  const options = range === undefined ? undefined : numbersBetween(Number(from), Number(to))
  return options === undefined || range === undefined ? undefined : { options, length: range.length }
}

export function numbersBetween(from: number, to: number): string[] | undefined {
  const count = to - from + 1
  return count < 1 || count > mostNumbers ? undefined : Array.from({ length: count }, (_, at) => String(from + at))
}
