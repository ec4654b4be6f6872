import { withoutDot } from './search-query.ts'

export interface FoundLine {
  number: number
  /** At most 500 characters, with marks where it was cut. */
  text: string
  /** False: a line around a match. */
  match: boolean
}

export interface LineReader {
  onLine(path: string, line: FoundLine): void
  onBinary(path: string): void
}

/** Reads ripgrep's lines as they come: `path NUL number:column:text` of a match, `path NUL number-text` around one. */
export function readLines({ onLine, onBinary }: LineReader): (text: string) => void {
  let rest = ''
  return (text) => {
    rest += text
    let at = 0
    for (;;) {
      const end = rest.indexOf('\n', at)
      if (end === -1) break
      const note = /^([^]*): (?:binary file matches|WARNING: stopped searching binary file) .*offset \d+\)$/.exec(
        rest.slice(at, end),
      )
      const nul = rest.indexOf('\0', at)
      if (note !== null && (nul === -1 || nul > end)) {
        onBinary(withoutDot(note[1]!))
        at = end + 1
        continue
      }
      // A line break before the NUL belongs to the name.
      const close = nul === -1 ? -1 : rest.indexOf('\n', nul)
      if (close === -1) break
      readLine(withoutDot(rest.slice(at, nul)), rest.slice(nul + 1, close), onLine)
      at = close + 1
    }
    rest = rest.slice(at)
  }
}

function readLine(path: string, text: string, onLine: LineReader['onLine']): void {
  const found = /^(\d+)(?::(\d+):|-)/.exec(text)
  if (found === null) throw new Error(`The search answered with a line that cannot be read: ${text.slice(0, 200)}`)
  const column = found[2] === undefined ? 1 : Number(found[2])
  const line = text.slice(found[0].length).replace(/\r$/, '')
  onLine(path, { number: Number(found[1]), text: cutLine(line, column - 1), match: found[2] !== undefined })
}

const maxLine = 500
const ripgrepCut = / \[\.\.\. (?:\d+ more match(?:es)?|omitted end of long line)\]$/

/** What is shown of a long line begins a little before its first match. */
export function cutLine(line: string, matchAt: number): string {
  const whole = line.replace(ripgrepCut, '')
  const isCut = whole.length < line.length && whole.length > maxLine
  if (whole.length <= maxLine) return line
  const from = matchAt < maxLine - 100 || matchAt >= whole.length ? 0 : Math.min(matchAt - 100, whole.length - maxLine)
  const left = whole.length - from - maxLine
  const before = from > 0 ? `[${from} characters] … ` : ''
  const after = left > 0 || isCut ? ` … [${isCut ? 'more than ' : ''}${left} more characters]` : ''
  return before + whole.slice(from, from + maxLine).toWellFormed() + after
}
