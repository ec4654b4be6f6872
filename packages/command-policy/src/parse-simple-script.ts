import { isDangerousName, isKeptByShell } from './environment-variables.ts'
import { revisionSuffix } from './literal-lexer.ts'

/** A piece of a word: literal text, a pattern, `{a,b}`, or a variable, which is split unless quoted. */
export type WordPart =
  | { kind: 'text'; text: string }
  | { kind: 'pattern'; text: '*' | '?' }
  | { kind: 'choice'; options: readonly string[] }
  | { kind: 'variable'; name: string; quoted: boolean }

export interface RawWord {
  parts: WordPart[]
  raw: string
  /** Set for a plain unquoted word, which may be a keyword. */
  bare?: string
}

export interface SimpleCommand {
  kind: 'simple'
  words: RawWord[]
  redirections: { operator: string; target: RawWord }[]
}
interface Loop {
  kind: 'loop'
  name: string
  values: RawWord[]
  body: ScriptStep[]
}
/** `if` and `while read`: lists that run conditionally. */
interface Group {
  kind: 'group'
  lists: ScriptStep[][]
  names: readonly string[]
}
export interface ScriptStep {
  joint: string
  command: SimpleCommand | Loop | Group
}

export type WordList = readonly { at: number; text: string }[]

export class UnsupportedSyntax extends Error {}

/**
 * Parses a small subset of bash, independent of the main parser: lists, pipes, redirections, `for`, `if`, `while read`.
 * Throws `UnsupportedSyntax` for anything else.
 */
export function parseSimpleScript(text: string): { steps: ScriptStep[]; words: WordList } {
  // The whole script in a subshell does the same, except that its folder is left again.
  const reader = new ScriptParser(/^\s*\(([^()]*)\)\s*$/.exec(text)?.[1] ?? text)
  return { steps: reader.script(), words: reader.words }
}

const reserved = new Set(
  'if then else elif fi while until do done case esac for in select function time coproc { } ! [[ ]]'.split(' '),
)

class ScriptParser {
  readonly words: { at: number; text: string }[] = []
  #text: string
  #at = 0

  constructor(text: string) {
    this.#text = text
  }

  script(): ScriptStep[] {
    const steps = this.#list()
    if (this.#at < this.#text.length) throw new UnsupportedSyntax()
    return steps
  }

  /** Reads commands up to the end of the text or up to an end keyword, which it leaves unread. */
  #list(...ends: string[]): ScriptStep[] {
    const steps: ScriptStep[] = []
    let joint = ''
    for (;;) {
      this.#blanks(true)
      if (this.#at >= this.#text.length) {
        if (ends.length > 0 || /^[|&]/.test(joint)) throw new UnsupportedSyntax()
        return steps
      }
      if (ends.some((end) => this.#isNext(end))) {
        if (/^[|&]/.test(joint) || steps.length === 0) throw new UnsupportedSyntax()
        return steps
      }
      steps.push({ joint, command: this.#command() })
      this.#blanks(false)
      const [found] = /^(&&|\|\||;|\n|\|(?![&|])|$)/.exec(this.#text.slice(this.#at)) ?? []
      if (found === undefined) throw new UnsupportedSyntax()
      this.#at += found.length
      joint = found === '\n' ? ';' : found
    }
  }

  #command(): ScriptStep['command'] {
    if (this.#keyword('for')) return this.#loop()
    if (this.#keyword('if')) return this.#branches()
    return this.#keyword('while') ? this.#reading() : this.#simple()
  }

  #branches(): Group {
    const lists: ScriptStep[][] = []
    do {
      lists.push(this.#list('then'))
      this.#keyword('then')
      lists.push(this.#list('elif', 'else', 'fi'))
    } while (this.#keyword('elif'))
    if (this.#keyword('else')) lists.push(this.#list('fi'))
    if (!this.#keyword('fi')) throw new UnsupportedSyntax()
    return { kind: 'group', lists, names: [] }
  }

  /** `while read -r name; do …; done` */
  #reading(): Group {
    this.#blanks(false)
    const [head, options = '', listed = ''] =
      /^read((?: -r)?)((?: [a-z_][a-z0-9_]*)+)[ \t]*(?=[;\n])/.exec(this.#text.slice(this.#at)) ?? []
    if (head === undefined) throw new UnsupportedSyntax()
    const end = this.#at + head.length
    for (const _ of `read${options}${listed}`.split(' ')) this.#word()
    this.#at = end + 1
    this.#blanks(true)
    if (!this.#keyword('do')) throw new UnsupportedSyntax()
    const body = this.#list('done')
    this.#keyword('done')
    return { kind: 'group', lists: [body], names: listed.trim().split(' ') }
  }

  #loop(): Loop {
    const name = this.#word()
    if (
      name?.bare === undefined ||
      !/^[a-z_][a-z0-9_]*$/i.test(name.bare) ||
      isDangerousName(name.bare) ||
      isKeptByShell(name.bare)
    )
      throw new UnsupportedSyntax()
    // The main parser does not count keywords as words.
    this.words.pop()
    if (!this.#keyword('in')) throw new UnsupportedSyntax()
    const values: RawWord[] = []
    for (let word = this.#word(); word !== undefined; word = this.#word()) values.push(word)
    this.#blanks(false)
    if (!/[;\n]/.test(this.#text[this.#at] ?? '')) throw new UnsupportedSyntax()
    this.#at++
    this.#blanks(true)
    if (!this.#keyword('do')) throw new UnsupportedSyntax()
    const body = this.#list('done')
    this.#keyword('done')
    return { kind: 'loop', name: name.bare, values, body }
  }

  #simple(): SimpleCommand {
    const simple: SimpleCommand = { kind: 'simple', words: [], redirections: [] }
    for (;;) {
      this.#blanks(false)
      const rest = this.#text.slice(this.#at)
      const [redirection, operator = ''] = /^(?:\d(?=[<>]))?(&>>?|>>|>\||>&|<&|[<>])(?![<>&(])/.exec(rest) ?? []
      if (redirection !== undefined) {
        this.#at += redirection.length
        const target = this.#word()
        if (target === undefined) throw new UnsupportedSyntax()
        simple.redirections.push({ operator: redirection, target })
        if (operator.endsWith('&') && !/^\d$/.test(target.bare ?? '')) throw new UnsupportedSyntax()
        continue
      }
      const word = this.#outputFile() ?? this.#word()
      if (word === undefined) break
      if (simple.words.length === 0 && reserved.has(word.bare ?? '')) throw new UnsupportedSyntax()
      simple.words.push(word)
    }
    if (simple.words.length === 0) throw new UnsupportedSyntax()
    return simple
  }

  /** Reads `<(command)` with plain words: a file with its output. */
  #outputFile(): RawWord | undefined {
    const [raw, inner = ''] = /^<\(([\w ./:,=@%+|'-]+)\)(?=[\s;|&]|$)/.exec(this.#text.slice(this.#at)) ?? []
    if (raw === undefined) return undefined
    this.words.push({ at: this.#at, text: raw })
    this.#at += raw.length
    return { parts: [{ kind: 'variable', name: `<(${inner}`, quoted: true }], raw }
  }

  #blanks(lines: boolean): void {
    for (;;) {
      const [blanks = ''] = (lines ? /^[ \t\n]+/ : /^[ \t]+/).exec(this.#text.slice(this.#at)) ?? []
      this.#at += blanks.length
      if (this.#text[this.#at] !== '#') return
      const end = this.#text.indexOf('\n', this.#at)
      this.#at = end === -1 ? this.#text.length : end
    }
  }

  #keyword(word: string): boolean {
    if (!this.#isNext(word)) return false
    this.#at += word.length
    return true
  }

  #isNext(word: string): boolean {
    this.#blanks(false)
    return new RegExp(`^${word}(?=[ \\t\\n;|&<>]|$)`).test(this.#text.slice(this.#at))
  }

  #word(): RawWord | undefined {
    this.#blanks(false)
    const start = this.#at
    const parts: WordPart[] = []
    let bare: string | undefined = ''
    for (; this.#at < this.#text.length; this.#at++) {
      const character = this.#text[this.#at] as string
      const next = this.#text[this.#at + 1] ?? ''
      if (/[\s;|&<>]/.test(character)) break
      if (character === "'") {
        const close = this.#text.indexOf("'", this.#at + 1)
        if (close === -1) throw new UnsupportedSyntax()
        parts.push({ kind: 'text', text: this.#text.slice(this.#at + 1, close) })
        this.#at = close
        bare = undefined
      } else if (character === '"') {
        this.#quoted(parts)
        bare = undefined
      } else if (character === '\\') {
        if (!/[ -~]/.test(next)) throw new UnsupportedSyntax()
        parts.push({ kind: 'text', text: next })
        this.#at++
        bare = undefined
      } else if (character === '*' || character === '?') {
        parts.push({ kind: 'pattern', text: character })
        bare = undefined
      } else if (character === '$') {
        parts.push({ kind: 'variable', name: this.#variable(), quoted: false })
        bare = undefined
      } else if (character === '{' && next === '}') {
        parts.push({ kind: 'text', text: '{}' })
        this.#at++
        bare = undefined
      } else if (character === '{' && choiceAt(this.#text, this.#at) !== undefined) {
        const choice = choiceAt(this.#text, this.#at) as string
        parts.push({ kind: 'choice', options: choice.slice(1, -1).split(',') })
        this.#at += choice.length - 1
        bare = undefined
      } else if (revisionSuffix(this.#text, this.#at) !== undefined) {
        const suffix = revisionSuffix(this.#text, this.#at) as string
        parts.push({ kind: 'text', text: suffix })
        this.#at += suffix.length - 1
        bare = undefined
      } else if (character === '~' && this.#at === start && /^[\s/;|&<>]?$/.test(next)) {
        parts.push({ kind: 'variable', name: 'HOME', quoted: true })
        bare = undefined
      } else if (
        /[[\]]/.test(character)
          ? this.#at === start && /^[\s;|&]?$/.test(next)
          : /[A-Za-z0-9_@%+=:,./^-]/.test(character)
      ) {
        parts.push({ kind: 'text', text: character })
        if (bare !== undefined) bare += character
      } else {
        throw new UnsupportedSyntax()
      }
    }
    if (this.#at === start) return undefined
    const raw = this.#text.slice(start, this.#at)
    this.words.push({ at: start, text: raw })
    return { parts, raw, bare }
  }

  /** Reads up to the closing quote and stops on it. */
  #quoted(parts: WordPart[]): void {
    // An empty quoted string still makes a word.
    parts.push({ kind: 'text', text: '' })
    for (this.#at++; this.#at < this.#text.length; this.#at++) {
      const character = this.#text[this.#at] as string
      const next = this.#text[this.#at + 1] ?? ''
      if (character === '"') return
      if (character === '`') throw new UnsupportedSyntax()
      if (character === '\\') {
        if (!/[ -~]/.test(next) || (this.#text[this.#at - 1] ?? '') > '~') throw new UnsupportedSyntax()
        parts.push({ kind: 'text', text: '$`"\\'.includes(next) ? next : `\\${next}` })
        this.#at++
      } else if (character === '$' && !/["\s|)]/.test(next)) {
        parts.push({ kind: 'variable', name: this.#variable(), quoted: true })
      } else {
        parts.push({ kind: 'text', text: character })
      }
    }
    throw new UnsupportedSyntax()
  }

  /** Reads `$name` or `${name}` and stops on its last character. */
  #variable(): string {
    const next = this.#text[this.#at + 1] ?? ''
    if (next === '?' || next === '$') {
      this.#at++
      return next
    }
    const [sum] = /^\$\(\([\d\s+*/%-]+\)\)/.exec(this.#text.slice(this.#at)) ?? []
    if (sum !== undefined) {
      this.#at += sum.length - 1
      return '?'
    }
    if (next === '(') return this.#substitution()
    const [whole = '', plain, braced] =
      /^\$(?:([A-Za-z_][A-Za-z0-9_]*)|\{([A-Za-z_][A-Za-z0-9_]*)\})/.exec(this.#text.slice(this.#at)) ?? []
    const name = plain ?? braced
    if (name === undefined) throw new UnsupportedSyntax()
    this.#at += whole.length - 1
    return name
  }

  /**
   * Reads `$(command)` with plain words. Its output is unknown, so the command is written out before the enclosing one.
   */
  #substitution(): string {
    const [whole, inner = ''] = /^\$\(([\w ./:,=@%+|'-]+)\)/.exec(this.#text.slice(this.#at)) ?? []
    if (whole === undefined) throw new UnsupportedSyntax()
    this.#at += whole.length - 1
    return `(${inner}`
  }
}

function choiceAt(text: string, at: number): string | undefined {
  return /^\{[\w./*-]+(,[\w./*-]+)+\}/.exec(text.slice(at))?.[0]
}
