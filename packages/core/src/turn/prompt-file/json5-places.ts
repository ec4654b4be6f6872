import type { SourcePosition } from './place.ts'

/** Where each value of a JSON5 text stands. The text has been parsed before, so nothing is checked here. */
export function json5Positions(text: string): SourcePosition {
  let at = 0
  let line = 1
  return value(1)

  function value(startLine: number): SourcePosition {
    skip()
    const here = startLine
    const entries = new Map<string, SourcePosition>()
    const opening = text[at]
    if (opening !== '{' && opening !== '[') {
      scalar()
      return { line: here, entries }
    }
    at++
    for (let index = 0; ; index++) {
      skip()
      if (at >= text.length || text[at] === '}' || text[at] === ']') break
      const entryLine = line
      if (opening === '{') {
        const key = scalar()
        skip()
        at++
        entries.set(key, value(entryLine))
      } else entries.set(String(index), value(entryLine))
    }
    at++
    return { line: here, entries }
  }

  /** White space, comments and commas. */
  function skip(): void {
    for (;;) {
      const rest = /\s+|,|\/\/[^\n]*|\/\*[\s\S]*?\*\//y
      rest.lastIndex = at
      const found = rest.exec(text)?.[0]
      if (found === undefined) return
      advance(found)
    }
  }

  /** A string, number, word or bare key; its text without quotes. */
  function scalar(): string {
    const token = /"(?:[^"\\]|\\[\s\S])*"|'(?:[^'\\]|\\[\s\S])*'|[^\s,:{}[\]]+/y
    token.lastIndex = at
    const found = token.exec(text)?.[0] ?? text.slice(at, at + 1)
    advance(found)
    return found.replace(/^(["'])([\s\S]*)\1$/, '$2')
  }

  function advance(passed: string): void {
    at += passed.length
    line += passed.split('\n').length - 1
  }
}
