import { isDangerousName, isKeptByShell } from '../environment-variables.ts'
import { revisionSuffix } from '../literal-lexer.ts'
import {
  type DoubleTest,
  type Group,
  type InnerScript,
  type Loop,
  type RawWord,
  type ScriptRedirection,
  type ScriptStep,
  type SimpleCommand,
  type Trim,
  UnsupportedSyntax,
  type WordList,
  type WordPart,
} from './simple-script.ts'

/**
 * Parses a small subset of bash, independent of the main parser: lists, pipes, groups, redirections, `for`, `if`,
 * `while read`, `[[ … ]]`, substitutions. Throws `UnsupportedSyntax` for anything else.
 */
export function parseSimpleScript(text: string): { steps: ScriptStep[]; words: WordList; inner: InnerScript[] } {
  // The whole script in a subshell does the same, except that its folder is left again.
  const reader = new ScriptParser(/^\s*\(([^()]*)\)\s*$/.exec(text)?.[1] ?? text)
  return { steps: reader.script(), words: reader.words, inner: reader.inner }
}

const reserved = new Set(
  'if then else elif fi while until do done case esac for in select function time coproc { } ! [[ ]]'.split(' '),
)
const mostNumbers = 100

class ScriptParser {
  words: { at: number; text: string }[] = []
  readonly inner: InnerScript[] = []
  #text: string
  #at = 0
  /** Number of open brackets. A `)` then ends a word. */
  #open = 0
  /** Delimiters of here-documents that start after this line. */
  #documents: { end: string; literal: boolean }[] = []

  constructor(text: string) {
    this.#text = text
  }

  script(): ScriptStep[] {
    const steps = this.#list()
    if (this.#at < this.#text.length || this.#documents.length > 0) throw new UnsupportedSyntax()
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
      steps.push(this.#step(joint))
      this.#blanks(false)
      if (ends.includes(')') && this.#text[this.#at] === ')') return steps
      const [found] = /^(&&|\|\||;(?!;)|\n|\|(?![&|])|$)/.exec(this.#text.slice(this.#at)) ?? []
      if (found === undefined) throw new UnsupportedSyntax()
      this.#at += found.length
      if (found === '\n') this.#skipDocuments()
      joint = found === '\n' ? ';' : found
    }
  }

  #step(joint: string): ScriptStep {
    if (joint === '|') return { joint, not: false, command: this.#command() }
    // Neither changes what runs. Options of `time` are not supported.
    const not = this.#keyword('!')
    this.#keyword('time')
    return { joint, not, command: this.#command() }
  }

  #command(): ScriptStep['command'] {
    if (this.#keyword('for')) return this.#loop()
    if (this.#keyword('if')) return this.#branches()
    if (this.#keyword('[[')) return this.#doubleTest()
    if (this.#keyword('while')) return this.#reading()
    if (this.#keyword('{')) return this.#group('}')
    if (this.#text[this.#at] !== '(') return this.#simple()
    if (this.#text[this.#at + 1] === '(') throw new UnsupportedSyntax()
    this.#at++
    this.#open++
    const group = this.#group(')')
    this.#open--
    return group
  }

  #group(end: ')' | '}'): Group {
    const list = this.#list(end)
    if (!this.#keyword(end)) throw new UnsupportedSyntax()
    const own = end === ')' ? { subshell: true as const } : {}
    return { kind: 'group', lists: [list], names: [], ...own, redirections: this.#redirections() }
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
    return { kind: 'group', lists, names: [], redirections: this.#redirections() }
  }

  /** `while read -r name; do …; done`, `while IFS= read -r -d '' name; do …; done` */
  #reading(): Group {
    this.#blanks(false)
    const [head, split = '', options = '', nul = '', listed = ''] =
      /^(IFS=[,:\t ]?[ ]|IFS=''[ ]|)read((?: -r)?)((?: -d '')?)((?: [a-z_][a-z0-9_]*)+)[ \t]*(?=[;\n])/.exec(
        this.#text.slice(this.#at),
      ) ?? []
    if (head === undefined || /^IFS=[\t ][ ]/.test(split)) throw new UnsupportedSyntax()
    const end = this.#at + head.length
    for (const _ of `${split.trim()} read${options}${nul}${listed}`.trim().split(' ')) this.#word()
    if (this.#at > end) throw new UnsupportedSyntax()
    this.#at = end + 1
    this.#blanks(true)
    const body = this.#body()
    const names = listed.trim().split(' ')
    if (names.some((name) => isKeptByShell(name) || isDangerousName(name))) throw new UnsupportedSyntax()
    return {
      kind: 'group',
      lists: [body],
      names,
      nul: nul !== '',
      splits: /[,:]/.test(split),
      redirections: this.#redirections(),
    }
  }

  #body(): ScriptStep[] {
    if (!this.#keyword('do')) throw new UnsupportedSyntax()
    const body = this.#list('done')
    this.#keyword('done')
    return body
  }

  #loop(): Loop {
    this.#blanks(false)
    const counted = this.#counted()
    const name = counted?.name ?? this.#word()?.bare
    if (name === undefined || !/^[a-z_][a-z0-9_]*$/i.test(name) || isDangerousName(name) || isKeptByShell(name))
      throw new UnsupportedSyntax()
    const values: RawWord[] = counted?.values ?? []
    if (counted === undefined) {
      // The main parser does not count keywords as words.
      this.words.pop()
      if (!this.#keyword('in')) throw new UnsupportedSyntax()
      for (let word = this.#word(); word !== undefined; word = this.#word()) values.push(word)
    }
    this.#blanks(false)
    if (!/[;\n]/.test(this.#text[this.#at] ?? '') || this.#documents.length > 0) throw new UnsupportedSyntax()
    this.#at++
    this.#blanks(true)
    return { kind: 'loop', name, values, body: this.#body(), redirections: this.#redirections() }
  }

  /** `for ((i = 0; i < 3; i++))` */
  #counted(): { name: string; values: RawWord[] } | undefined {
    const [head, name = '', from = '', least = '', to = ''] =
      /^\(\(\s*([a-z]\w*)\s*=\s*(\d{1,4})\s*;\s*\1\s*<(=?)\s*(\d{1,4})\s*;\s*\1\+\+\s*\)\)/.exec(
        this.#text.slice(this.#at),
      ) ?? []
    if (head === undefined) return undefined
    const numbers = numbersBetween(Number(from), Number(to) - (least === '' ? 1 : 0))
    if (numbers === undefined) throw new UnsupportedSyntax()
    this.#at += head.length
    return { name, values: numbers.map((text) => ({ parts: [{ kind: 'text', text }], raw: text })) }
  }

  /** Tests of files, of empty texts, and comparisons. */
  #doubleTest(): DoubleTest {
    const before = this.words.length
    const tests: RawWord[][] = []
    for (let isClosed = false; !isClosed;) {
      this.#keyword('!')
      const words: RawWord[] = []
      let word = this.#word()
      for (; word !== undefined && word.bare !== ']]'; word = this.#word()) words.push(word)
      isClosed = word?.bare === ']]'
      const [joint] = /^(&&|\|\|)/.exec(this.#text.slice(this.#at)) ?? []
      if (!isClosed && joint === undefined) throw new UnsupportedSyntax()
      if (!isClosed) this.#at += 2
      const isOne = words.length === 2 && /^-[fdesrwxLnz]$/.test(words[0]?.bare ?? '')
      const isTwo = words.length === 3 && /^(=|==|!=|-eq|-ne|-lt|-le|-gt|-ge)$/.test(words[1]?.bare ?? '')
      if (!isOne && !isTwo) throw new UnsupportedSyntax()
      tests.push(words)
    }
    // The main parser does not count these as words.
    this.words.length = before
    return { kind: 'test', tests }
  }

  #simple(): SimpleCommand {
    const simple: SimpleCommand = { kind: 'simple', words: [], redirections: [] }
    for (;;) {
      simple.redirections.push(...this.#redirections())
      const word = this.#outputFile() ?? this.#word()
      if (word === undefined) break
      if (simple.words.length === 0 && reserved.has(word.bare ?? '')) throw new UnsupportedSyntax()
      simple.words.push(word)
    }
    if (simple.words.length === 0) throw new UnsupportedSyntax()
    return simple
  }

  #redirections(): ScriptRedirection[] {
    const found: ScriptRedirection[] = []
    for (;;) {
      this.#blanks(false)
      const rest = this.#text.slice(this.#at)
      const [document, quoted, bare] = /^<<[ \t]*(?:['"](\w+)['"]|(\w+))(?=[\s|;])/.exec(rest) ?? []
      if (document !== undefined) {
        this.#documents.push({ end: quoted ?? bare ?? '', literal: quoted !== undefined })
        this.#at += document.length
        continue
      }
      const [redirection] = /^(?:<<<(?!<)|(?:\d(?=[<>]))?(?:&>>?|>>|>\||>&|<&|[<>])(?![<>&(]))/.exec(rest) ?? []
      if (redirection === undefined) return found
      this.#at += redirection.length
      this.#blanks(false)
      const target = (redirection === '<' ? this.#outputFile() : undefined) ?? this.#word()
      if (target === undefined) throw new UnsupportedSyntax()
      found.push({ operator: redirection, target })
      if (redirection.endsWith('&') && !/^\d$/.test(target.bare ?? '')) throw new UnsupportedSyntax()
    }
  }

  /** Skips the here-documents after a line. Nothing in them may expand. */
  #skipDocuments(): void {
    for (const { end, literal } of this.#documents.splice(0)) {
      const lines: string[] = []
      for (;;) {
        if (this.#at >= this.#text.length) throw new UnsupportedSyntax()
        const newline = this.#text.indexOf('\n', this.#at)
        const line = this.#text.slice(this.#at, newline === -1 ? this.#text.length : newline)
        this.#at += line.length + 1
        if (line === end) break
        lines.push(line)
      }
      if (this.#open > 0 || (!literal && /[$`\\]/.test(lines.join('\n')))) throw new UnsupportedSyntax()
    }
    this.#at = Math.min(this.#at, this.#text.length)
  }

  /** Reads `<(command)`: a file with its output. */
  #outputFile(): RawWord | undefined {
    if (!this.#text.startsWith('<(', this.#at)) return undefined
    const start = this.#at
    const steps = this.#innerScript()
    this.#at++
    if (!/^(?:[\s;|&)]|$)/.test(this.#text.slice(this.#at))) throw new UnsupportedSyntax()
    const raw = this.#text.slice(start, this.#at)
    this.words.push({ at: start, text: raw })
    return { parts: [{ kind: 'output', steps, quoted: true, file: true }], raw }
  }

  #blanks(lines: boolean): void {
    for (;;) {
      const [blanks = ''] = (lines ? /^(?:[ \t\n]|\\\n)+/ : /^(?:[ \t]|\\\n)+/).exec(this.#text.slice(this.#at)) ?? []
      // A here-document would begin here.
      if (this.#documents.length > 0 && blanks.includes('\n')) throw new UnsupportedSyntax()
      this.#at += blanks.length
      if (this.#text[this.#at] !== '#') return
      // It might hide the closing bracket.
      if (this.#open > 0 || this.#documents.length > 0) throw new UnsupportedSyntax()
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
    if (!this.#text.startsWith(word, this.#at)) return false
    const next = this.#text[this.#at + word.length] ?? ''
    return word === ')' || next === '' || /[ \t\n;|&<>]/.test(next) || (next === ')' && this.#open > 0)
  }

  #word(): RawWord | undefined {
    this.#blanks(false)
    const start = this.#at
    const parts: WordPart[] = []
    let bare: string | undefined = ''
    for (; this.#at < this.#text.length; this.#at++) {
      const character = this.#text[this.#at] as string
      const next = this.#text[this.#at + 1] ?? ''
      if (/[\s;|&<>]/.test(character) || (character === ')' && this.#open > 0)) break
      const plain = this.#plainPart(character, start)
      if (plain !== undefined) {
        parts.push({ kind: 'text', text: plain })
        if (bare !== undefined) bare += plain
        continue
      }
      bare = undefined
      if (character === "'") {
        const close = this.#text.indexOf("'", this.#at + 1)
        if (close === -1) throw new UnsupportedSyntax()
        parts.push({ kind: 'text', text: this.#text.slice(this.#at + 1, close) })
        this.#at = close
      } else if (character === '"') {
        this.#quoted(parts)
      } else if (character === '\\') {
        if (!/[ -~]/.test(next)) throw new UnsupportedSyntax()
        parts.push({ kind: 'text', text: next })
        this.#at++
      } else {
        parts.push(this.#expansion(character, next, start))
      }
    }
    if (this.#at === start) return undefined
    const raw = this.#text.slice(start, this.#at)
    this.words.push({ at: start, text: raw })
    return { parts, raw, bare }
  }

  #plainPart(character: string, start: number): string | undefined {
    if (/[A-Za-z0-9_@%+=:,./^-]/.test(character)) return character
    // Bash expands a tilde at the start, and in what looks like an assignment.
    if (character === '~' && this.#at > start && !/[=:]/.test(this.#text.slice(start, this.#at))) return character
    if (character === '!' && this.#at === start && /^\s/.test(this.#text[this.#at + 1] ?? '')) return character
    const [brackets] =
      this.#at === start ? (/^(?:\[\[|\]\]|\[|\])(?=[\s;|&]|$)/.exec(this.#text.slice(start)) ?? []) : []
    if (brackets === undefined) return undefined
    this.#at += brackets.length - 1
    return brackets
  }

  /** Reads an unquoted expansion and stops on its last character. */
  #expansion(character: string, next: string, start: number): WordPart {
    const rest = this.#text.slice(this.#at)
    const [set] = /^\[!?[\w.-]+\]/.exec(rest) ?? []
    if (character === '*' || character === '?' || set !== undefined) {
      this.#at += (set ?? character).length - 1
      return { kind: 'pattern', text: set ?? character }
    }
    const [tab, escaped = ''] = /^\$'((?:[^'\\\n]|\\[tn\\])*)'/.exec(rest) ?? []
    if (tab !== undefined) {
      this.#at += tab.length - 1
      const plain = escaped.replaceAll(/\\(.)/g, (_, one: string) => ({ t: '\t', n: '\n' })[one] ?? one)
      return { kind: 'text', text: plain }
    }
    if (character === '$') return this.#variable(false)
    const suffix = next === '}' && character === '{' ? '{}' : revisionSuffix(this.#text, this.#at)
    if (suffix !== undefined) {
      this.#at += suffix.length - 1
      return { kind: 'text', text: suffix }
    }
    const options = character === '{' ? optionsOf(rest) : undefined
    if (options !== undefined) {
      this.#at += options.length - 1
      return { kind: 'choice', options: options.options }
    }
    if (character === '~' && this.#at === start && /^[\s/;|&<>]?$/.test(next))
      return { kind: 'variable', name: 'HOME', quoted: true }
    throw new UnsupportedSyntax()
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
        parts.push(this.#variable(true))
      } else {
        parts.push({ kind: 'text', text: character })
      }
    }
    throw new UnsupportedSyntax()
  }

  /** Reads `$name`, `${name}`, `${name%pattern}`, `$(…)` and stops on its last character. */
  #variable(quoted: boolean): WordPart {
    const rest = this.#text.slice(this.#at)
    const [special, mark = ''] = /^\$(?:([?$])|\(\([\d\s+*/%-]+\)\))/.exec(rest) ?? []
    if (special !== undefined) {
      this.#at += special.length - 1
      return { kind: 'variable', name: mark || '?', quoted }
    }
    const [sum, computed = ''] = /^\$\(\(([\w\s+*/%-]+)\)\)/.exec(rest) ?? []
    if (sum !== undefined) {
      this.#at += sum.length - 1
      return { kind: 'sum', names: computed.match(/[A-Za-z_]\w*/g) ?? [] }
    }
    if (rest.startsWith('$(')) return { kind: 'output', steps: this.#innerScript(), quoted, file: false }
    const [whole = '', plain, braced, operator, pattern = '', fallback] =
      /^\$(?:([A-Za-z_][A-Za-z0-9_]*)|\{([A-Za-z_][A-Za-z0-9_]*)(?:(##?|%%?)([\w./*-]+)|(:?-[\w ./:-]*))?\})/.exec(
        rest,
      ) ?? []
    const name = plain ?? braced
    if (name === undefined) throw new UnsupportedSyntax()
    this.#at += whole.length - 1
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
    this.#at += 2
    const start = this.#at
    if (this.#text[start] === '(' || this.#documents.length > 0) throw new UnsupportedSyntax()
    this.#open++
    const steps = this.#list(')')
    this.#open--
    if (this.#text[this.#at] !== ')') throw new UnsupportedSyntax()
    const text = this.#text.slice(start, this.#at)
    this.inner.push({ text, words: this.words.map((word) => ({ ...word, at: word.at - start })) })
    this.words = words
    return steps
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
