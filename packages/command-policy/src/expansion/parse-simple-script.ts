import { isDangerousName, isKeptByShell } from '../environment-variables.ts'
import { numbersBetween, WordParser } from './parse-words.ts'
import {
  type DoubleTest,
  type Group,
  type InnerScript,
  type Loop,
  type RawWord,
  type ScriptRedirection,
  type ScriptStep,
  type SimpleCommand,
  UnsupportedSyntax,
  type WordList,
} from './simple-script.ts'

/**
 * Parses a small subset of bash, independent of the main parser: lists, pipes, groups, redirections, `for`, `if`,
 * `case`, `while read`, `[[ … ]]`, substitutions. Throws `UnsupportedSyntax` for anything else.
 */
export function parseSimpleScript(text: string): { steps: ScriptStep[]; words: WordList; inner: InnerScript[] } {
  // The whole script in a subshell does the same, except that its folder is left again.
  const reader = new ScriptParser(/^\s*\(([^()]*)\)\s*$/.exec(text)?.[1] ?? text)
  return { steps: reader.script(), words: reader.words, inner: reader.inner }
}

const reserved = new Set(
  'if then else elif fi while until do done case esac for in select function time coproc { } ! [[ ]]'.split(' '),
)

class ScriptParser extends WordParser {
  script(): ScriptStep[] {
    const steps = this.list()
    if (this.at < this.text.length || this.documents.length > 0) throw new UnsupportedSyntax()
    return steps
  }

  /** Reads commands up to the end of the text or up to an end keyword, which it leaves unread. */
  protected list(...ends: string[]): ScriptStep[] {
    const steps: ScriptStep[] = []
    let joint = ''
    for (;;) {
      this.blanks(true)
      if (this.at >= this.text.length) {
        if (ends.length > 0 || /^[|&]/.test(joint)) throw new UnsupportedSyntax()
        return steps
      }
      if (ends.some((end) => this.isNext(end))) {
        if (/^[|&]/.test(joint) || steps.length === 0) throw new UnsupportedSyntax()
        return steps
      }
      steps.push(this.#step(joint))
      this.blanks(false)
      if (ends.includes(')') && this.text[this.at] === ')') return steps
      if (ends.includes(';;') && this.text.startsWith(';;', this.at)) return steps
      const [found] = /^(&&|\|\||;(?!;)|\n|\|(?![&|])|$)/.exec(this.text.slice(this.at)) ?? []
      if (found === undefined) throw new UnsupportedSyntax()
      this.at += found.length
      if (found === '\n') this.#skipDocuments()
      joint = found === '\n' ? ';' : found
    }
  }

  #step(joint: string): ScriptStep {
    if (joint === '|') return { joint, not: false, command: this.#command() }
    // Neither changes what runs. Options of `time` are not supported.
    const not = this.keyword('!')
    this.keyword('time')
    return { joint, not, command: this.#command() }
  }

  #command(): ScriptStep['command'] {
    if (this.keyword('for')) return this.#loop()
    if (this.keyword('if')) return this.#branches()
    if (this.keyword('case')) return this.#cases()
    if (this.keyword('[[')) return this.#doubleTest()
    if (this.keyword('while')) return this.#reading()
    if (this.keyword('{')) return this.#group('}')
    if (this.text[this.at] !== '(') return this.#simple()
    if (this.text[this.at + 1] === '(') throw new UnsupportedSyntax()
    this.at++
    this.open++
    const group = this.#group(')')
    this.open--
    return group
  }

  #group(end: ')' | '}'): Group {
    const list = this.list(end)
    if (!this.keyword(end)) throw new UnsupportedSyntax()
    const own = end === ')' ? { subshell: true as const } : {}
    return { kind: 'group', lists: [list], names: [], ...own, redirections: this.#redirections() }
  }

  #branches(): Group {
    const lists: ScriptStep[][] = []
    do {
      lists.push(this.list('then'))
      this.keyword('then')
      lists.push(this.list('elif', 'else', 'fi'))
    } while (this.keyword('elif'))
    if (this.keyword('else')) lists.push(this.list('fi'))
    if (!this.keyword('fi')) throw new UnsupportedSyntax()
    return { kind: 'group', lists, names: [], redirections: this.#redirections() }
  }

  /** `case word in pattern) …;; esac`. The patterns are plain texts and wildcards. */
  #cases(): Group {
    const compared = this.word()
    // In a substitution, the bracket after a pattern would be the closing one for some parsers.
    if (compared === undefined || this.open > 0 || !this.keyword('in')) throw new UnsupportedSyntax()
    const lists: ScriptStep[][] = []
    for (;;) {
      this.blanks(true)
      if (this.keyword('esac')) break
      const [pattern] =
        /^\(?(?:[\w*?./@:+-]+|"[\w ./:-]*")(?: ?\| ?(?:[\w*?./@:+-]+|"[\w ./:-]*"))*\)(?=\s)/.exec(
          this.text.slice(this.at),
        ) ?? []
      if (pattern === undefined) throw new UnsupportedSyntax()
      this.at += pattern.length
      this.blanks(true)
      if (!this.text.startsWith(';;', this.at)) lists.push(this.list(';;', 'esac'))
      if (this.text.startsWith(';;', this.at)) this.at += 2
      else if (!this.isNext('esac')) throw new UnsupportedSyntax()
      if (this.text[this.at] === '&') throw new UnsupportedSyntax()
    }
    return { kind: 'group', lists, names: [], compared, redirections: this.#redirections() }
  }

  /** `while read -r name; do …; done`, `while IFS= read -r -d '' name; do …; done` */
  #reading(): Group {
    this.blanks(false)
    const [head, split = '', options = '', nul = '', listed = ''] =
      /^(IFS=[,:\t ]?[ ]|IFS=''[ ]|)read((?: -r)?)((?: -d '')?)((?: [a-z_][a-z0-9_]*)+)[ \t]*(?=[;\n])/.exec(
        this.text.slice(this.at),
      ) ?? []
    if (head === undefined || /^IFS=[\t ][ ]/.test(split)) throw new UnsupportedSyntax()
    const end = this.at + head.length
    for (const _ of `${split.trim()} read${options}${nul}${listed}`.trim().split(' ')) this.word()
    if (this.at > end) throw new UnsupportedSyntax()
    this.at = end + 1
    this.blanks(true)
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
    if (!this.keyword('do')) throw new UnsupportedSyntax()
    const body = this.list('done')
    this.keyword('done')
    return body
  }

  #loop(): Loop {
    this.blanks(false)
    const counted = this.#counted()
    const name = counted?.name ?? this.word()?.bare
    if (name === undefined || !/^[a-z_][a-z0-9_]*$/i.test(name) || isDangerousName(name) || isKeptByShell(name))
      throw new UnsupportedSyntax()
    const values: RawWord[] = counted?.values ?? []
    if (counted === undefined) {
      // The main parser does not count keywords as words.
      this.words.pop()
      if (!this.keyword('in')) throw new UnsupportedSyntax()
      for (let word = this.word(); word !== undefined; word = this.word()) values.push(word)
    }
    this.blanks(false)
    if (!/[;\n]/.test(this.text[this.at] ?? '') || this.documents.length > 0) throw new UnsupportedSyntax()
    this.at++
    this.blanks(true)
    return { kind: 'loop', name, values, body: this.#body(), redirections: this.#redirections() }
  }

  /** `for ((i = 0; i < 3; i++))` */
  #counted(): { name: string; values: RawWord[] } | undefined {
    const [head, name = '', from = '', least = '', to = ''] =
      /^\(\(\s*([a-z]\w*)\s*=\s*(\d{1,4})\s*;\s*\1\s*<(=?)\s*(\d{1,4})\s*;\s*\1\+\+\s*\)\)/.exec(
        this.text.slice(this.at),
      ) ?? []
    if (head === undefined) return undefined
    const numbers = numbersBetween(Number(from), Number(to) - (least === '' ? 1 : 0))
    if (numbers === undefined) throw new UnsupportedSyntax()
    this.at += head.length
    return { name, values: numbers.map((text) => ({ parts: [{ kind: 'text', text }], raw: text })) }
  }

  /** Tests of files, of empty texts, and comparisons. */
  #doubleTest(): DoubleTest {
    const before = this.words.length
    const tests: RawWord[][] = []
    for (let isClosed = false; !isClosed;) {
      this.keyword('!')
      const words: RawWord[] = []
      let word = this.word()
      for (; word !== undefined && word.bare !== ']]'; word = this.word()) words.push(word)
      isClosed = word?.bare === ']]'
      const [joint] = /^(&&|\|\|)/.exec(this.text.slice(this.at)) ?? []
      if (!isClosed && joint === undefined) throw new UnsupportedSyntax()
      if (!isClosed) this.at += 2
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
      const word = this.outputFile() ?? this.word()
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
      this.blanks(false)
      const rest = this.text.slice(this.at)
      const [document, quoted, bare] = /^<<[ \t]*(?:['"](\w+)['"]|(\w+))(?=[\s|;])/.exec(rest) ?? []
      if (document !== undefined) {
        this.documents.push({ end: quoted ?? bare ?? '', literal: quoted !== undefined })
        this.at += document.length
        continue
      }
      const [redirection] = /^(?:<<<(?!<)|(?:\d(?=[<>]))?(?:&>>?|>>|>\||>&|<&|[<>])(?![<>&(]))/.exec(rest) ?? []
      if (redirection === undefined) return found
      this.at += redirection.length
      this.blanks(false)
      const target = (redirection === '<' ? this.outputFile() : undefined) ?? this.word()
      if (target === undefined) throw new UnsupportedSyntax()
      found.push({ operator: redirection, target })
      if (redirection.endsWith('&') && !/^\d$/.test(target.bare ?? '')) throw new UnsupportedSyntax()
    }
  }

  /** Skips the here-documents after a line. Nothing in them may expand. */
  #skipDocuments(): void {
    for (const { end, literal } of this.documents.splice(0)) {
      const lines: string[] = []
      for (;;) {
        if (this.at >= this.text.length) throw new UnsupportedSyntax()
        const newline = this.text.indexOf('\n', this.at)
        const line = this.text.slice(this.at, newline === -1 ? this.text.length : newline)
        this.at += line.length + 1
        if (line === end) break
        lines.push(line)
      }
      if (this.open > 0 || (!literal && /[$`\\]/.test(lines.join('\n')))) throw new UnsupportedSyntax()
    }
    this.at = Math.min(this.at, this.text.length)
  }
}
