import { classesOf, plainStyle, withSgr } from './terminal-style.ts'

/** What a terminal shows after a text was printed, as stretches of one look each. Line ends are in their text. */
export interface TerminalScreen {
  runs: TerminalRun[]
  /** How many lines are shown, and how many before them are not. */
  lines: number
  left: number
}

export interface TerminalRun {
  text: string
  /** Class names; empty for plain text. */
  look: string
}

export interface ScreenOptions {
  /** Only the last lines are shown. */
  lines?: number
  /** The size of the screen, to which cursor movements are bound. */
  rows?: number
  columns?: number
}

/** A line as its characters and the look of each. */
interface Line {
  characters: string[]
  looks: string[]
}

// In this order: strings (titles, links), sequences with parameters, the short ones; then one that is not whole yet.
// None goes on over a line end, so that an opened string cannot swallow what is printed after it.
const sequence =
  // oxlint-disable-next-line no-control-regex -- control characters are what this reads
  /(?:\x1b\]|\x9d)[^\x07\x1b\x9c\n]*(?:\x07|\x1b\\|\x9c)|(?:\x1b[PX^_]|[\x90\x98\x9e\x9f])[^\x1b\x9c\n]*(?:\x1b\\|\x9c)|(?:\x1b\[|\x9b)([0-?]*)[ -/]*([@-~])|\x1b[ -/]*[0-Z\\^-~]|[\x1b\x90\x98\x9b\x9d-\x9f][^\n]{0,200}$|[\x00-\x1a\x1c-\x1f\x7f-\x9f]/g

const mostCharacters = 200_000

/**
 * A small terminal: colours, carriage returns, cursor movements and erasing, as progress bars use them. Everything else
 * that would steer a terminal is dropped. The output is text and class names, whatever is in the input.
 */
export function readScreen(given: string, { lines: shown = 2000, rows = 40, columns = 500 }: ScreenOptions = {}) {
  const text = lastOf(given)
  let screen: Line[] = [{ characters: [], looks: [] }]
  let saved: Line[] | undefined
  let row = 0
  let column = 0
  let style = plainStyle
  let look = ''
  let forgotten = 0
  let at = 0

  for (const found of text.matchAll(sequence)) {
    write(text.slice(at, found.index))
    at = found.index + found[0].length
    const [whole, parameters, final] = found
    if (final !== undefined) control(final, parameters ?? '')
    else if (whole.length === 1) move(whole)
  }
  write(text.slice(at))
  return result()

  function write(piece: string): void {
    if (piece === '') return
    const line = screen[row] as Line
    while (line.characters.length < column) put(line, line.characters.length, ' ', '')
    for (const character of piece) put(line, column++, character, look)
  }

  function move(character: string): void {
    if (character === '\n') {
      row++
      column = 0
      if (row === screen.length) screen.push({ characters: [], looks: [] })
      if (screen.length > 2 * shown + rows) forget(shown)
    } else if (character === '\r') column = 0
    else if (character === '\b') column = Math.max(0, column - 1)
    else if (character === '\t') write(' '.repeat(8 - (column % 8)))
  }

  /** Lines that will not be shown cost nothing any more. */
  function forget(count: number): void {
    screen.splice(0, count)
    row -= count
    forgotten += count
  }

  function control(final: string, parameters: string): void {
    if (final === 'm' && !/^[<-?]/.test(parameters)) {
      style = withSgr(style, parameters)
      look = classesOf(style)
      return
    }
    if (parameters === '?1049' || parameters === '?47') return alternate(final === 'h')
    if (/^[<-?]/.test(parameters)) return
    const [first = 0, second = 0] = parameters.split(';').map(Number)
    const by = Math.max(1, first || 1)
    if (final === 'A' || final === 'F') row = Math.max(top(), row - by)
    else if (final === 'B' || final === 'E') row = Math.min(screen.length - 1, row + by)
    else if (final === 'C') column = Math.min(columns, column + by)
    else if (final === 'D') column = Math.max(0, column - by)
    else if (final === 'G') column = Math.min(columns, by - 1)
    else if (final === 'H' || final === 'f') place(by, Math.max(1, second || 1))
    else if (final === 'K') eraseInLine(first)
    else if (final === 'J') eraseScreen(first)
    if (final === 'E' || final === 'F') column = 0
  }

  /** The first line that the cursor can reach. */
  function top(): number {
    return Math.max(0, screen.length - rows)
  }

  function place(line: number, cell: number): void {
    row = top() + Math.min(line, rows) - 1
    column = Math.min(columns, cell - 1)
    while (screen.length <= row) screen.push({ characters: [], looks: [] })
  }

  function eraseInLine(how: number): void {
    const line = screen[row] as Line
    if (how === 0) line.characters.length = line.looks.length = Math.min(line.characters.length, column)
    else if (how === 2) line.characters.length = line.looks.length = 0
    else if (how === 1) for (let i = 0; i <= column && i < line.characters.length; i++) put(line, i, ' ', '')
  }

  function eraseScreen(how: number): void {
    if (how === 0) {
      eraseInLine(0)
      screen.length = row + 1
    } else if (how === 2 || how === 3) {
      const kept = row - top()
      screen = Array.from({ length: kept + 1 }, () => ({ characters: [], looks: [] }))
      row = kept
    }
  }

  /** Programs that take the whole screen give it back as it was. */
  function alternate(enter: boolean): void {
    if (enter === (saved !== undefined)) return
    if (enter) {
      saved = screen
      screen = [{ characters: [], looks: [] }]
      row = column = 0
    } else {
      screen = saved ?? screen
      saved = undefined
      row = screen.length - 1
      column = screen[row]?.characters.length ?? 0
    }
  }

  function result(): TerminalScreen {
    while (screen.length > 1 && screen.at(-1)?.characters.length === 0) screen.pop()
    const last = screen.slice(-shown)
    const runs: TerminalRun[] = []
    for (const [index, line] of last.entries()) {
      for (const [i, character] of line.characters.entries()) add(runs, character, line.looks[i] ?? '')
      if (index < last.length - 1) add(runs, '\n', runs.at(-1)?.look ?? '')
    }
    const unread = given.length > text.length ? countLines(given.slice(0, given.length - text.length)) : 0
    return { runs, lines: last.length, left: screen.length - last.length + forgotten + unread }
  }
}

function put(line: Line, at: number, character: string, look: string): void {
  line.characters[at] = character
  line.looks[at] = look
}

function add(runs: TerminalRun[], text: string, look: string): void {
  const last = runs.at(-1)
  if (last !== undefined && last.look === look) last.text += text
  else runs.push({ text, look })
}

/** The end of a long text, from the beginning of a line on where that is near. */
function lastOf(text: string): string {
  if (text.length <= mostCharacters) return text
  const end = text.slice(-mostCharacters)
  const line = end.indexOf('\n')
  return line >= 0 && line < mostCharacters / 2 ? end.slice(line + 1) : end
}

function countLines(text: string): number {
  let count = 0
  for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) count++
  return count
}
