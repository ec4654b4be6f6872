import { type Expression, Incomplete, JsxRefused, type Statement } from './syntax.ts'

/** Parsers that call each other. They are passed in, because the files must not import each other. */
interface Parsers {
  expression(scanner: Scanner): Expression
  block(scanner: Scanner): Statement[]
}

export interface Scanner {
  readonly parse: Parsers
  readonly source: string
  readonly partial: boolean
  at: number
  /** Nesting of what is being read. A parser that a rollback leaves early must restore it. */
  depth: number
  isAtEnd(): boolean
  /** Skips whitespace and comments of JavaScript. */
  skip(): void
  sees(text: string): boolean
  /** Takes the text if it comes next, after whitespace and comments. */
  takes(text: string): boolean
  takesWord(word: string): boolean
  /** Returns the match of a sticky pattern, or an empty string. */
  match(pattern: RegExp): string
  /** Takes the text or fails. An incomplete source may end instead. */
  expect(text: string, hint?: string): void
  fail(message: string, at?: number): never
  /** Fails, or reports that an incomplete source ends here. */
  ended(message: string): never
  /** Skips a type annotation, up to one of the characters outside its brackets. */
  skipType(until: string): void
}

export function createScanner(source: string, { partial, ...parse }: Parsers & { partial: boolean }): Scanner {
  const scanner: Scanner = {
    parse,
    source,
    partial,
    at: 0,
    depth: 0,
    isAtEnd: () => scanner.at >= source.length,
    skip() {
      for (;;) {
        scanner.match(/\s+/y)
        const rest = source.slice(scanner.at, scanner.at + 2)
        if (rest === '//') scanner.match(/[^\n]*/y)
        else if (rest === '/*') {
          const end = source.indexOf('*/', scanner.at + 2)
          if (end < 0) {
            scanner.at = source.length
            scanner.ended('The comment /* is never closed. Write */ where it ends.')
          }
          scanner.at = end + 2
        } else return
      }
    },
    sees: (text) => source.startsWith(text, scanner.at),
    takes(text) {
      scanner.skip()
      if (!scanner.sees(text)) return false
      scanner.at += text.length
      return true
    },
    takesWord(word) {
      scanner.skip()
      if (!scanner.sees(word) || /[\w$]/.test(source[scanner.at + word.length] ?? '')) return false
      scanner.at += word.length
      return true
    },
    match(pattern) {
      pattern.lastIndex = scanner.at
      const found = pattern.exec(source)?.[0] ?? ''
      scanner.at += found.length
      return found
    },
    expect(text, hint = '') {
      if (scanner.takes(text)) return
      if (partial && scanner.isAtEnd()) return
      scanner.fail(`"${text}" is missing here.${hint === '' ? '' : ` ${hint}`}`)
    },
    fail(message, at = scanner.at) {
      throw new JsxRefused(message, at)
    },
    ended(message) {
      if (partial && scanner.isAtEnd()) throw new Incomplete()
      return scanner.fail(message)
    },
    skipType(until) {
      let depth = 0
      for (; !scanner.isAtEnd(); scanner.at += 1) {
        const char = source[scanner.at] as string
        if (depth === 0 && until.includes(char) && !(char === '=' && source[scanner.at + 1] === '>')) return
        if (depth === 0 && until.includes('>') && source.startsWith('=>', scanner.at)) return
        if ('({[<'.includes(char)) depth += 1
        if (')}]'.includes(char) || (char === '>' && source[scanner.at - 1] !== '=')) depth -= 1
      }
    },
  }
  return scanner
}
