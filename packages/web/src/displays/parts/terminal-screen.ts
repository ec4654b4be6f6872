/** Terminal contents after printing a text, as runs of one style. Runs include line breaks. */
interface TerminalScreen {
  runs: TerminalRun[]
  lines: number
  left: number
}

interface TerminalRun {
  text: string
  /** Class names. Empty for plain text. */
  look: string
}

interface ScreenOptions {
  /** Maximum number of lines, counted from the end. */
  lines?: number
  /** Screen size, which limits cursor movement. */
  rows?: number
  columns?: number
}

interface Line {
  characters: string[]
  looks: string[]
}

// Matches, in order: strings (titles, links), sequences with parameters, short ones, then incomplete ones. None spans a
// line break, so an unterminated string cannot swallow later output.
const sequence =
  // oxlint-disable-next-line no-control-regex -- control characters are what this reads
  /(?:\x1b\]|\x9d)[^\x07\x1b\x9c\n]*(?:\x07|\x1b\\|\x9c)|(?:\x1b[PX^_]|[\x90\x98\x9e\x9f])[^\x1b\x9c\n]*(?:\x1b\\|\x9c)|(?:\x1b\[|\x9b)([0-?]*)[ -/]*([@-~])|\x1b[ -/]*[0-Z\\^-~]|[\x1b\x90\x98\x9b\x9d-\x9f][^\n]{0,200}$|[\x00-\x1a\x1c-\x1f\x7f-\x9f]/g

const mostCharacters = 200_000

/**
 * Small terminal emulator: colors, carriage returns, cursor movement and erasing, as progress bars use them. Drops all
 * other control sequences. The output is only text and class names, whatever the input.
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

  /** Drops lines that will never be shown. */
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

  /** Programs on the alternate screen restore the main screen when they exit. */
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

/** Returns the end of a long text, cut at a line start if one is near. */
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

/** Style of a text run. Colors are palette names, so text cannot inject its own styles. */
interface TerminalStyle {
  color: PaletteColor | undefined
  background: PaletteColor | undefined
  bold: boolean
  dim: boolean
  italic: boolean
  underline: boolean
  strike: boolean
  inverse: boolean
}

const palette = ['black', 'red', 'green', 'yellow', 'blue', 'magenta', 'cyan', 'white'] as const
type PaletteColor = (typeof palette)[number] | `bright-${(typeof palette)[number]}`

const plainStyle: TerminalStyle = {
  color: undefined,
  background: undefined,
  bold: false,
  dim: false,
  italic: false,
  underline: false,
  strike: false,
  inverse: false,
}

/** Applies `ESC [ parameters m`. Ignores concealment, so all output stays readable. */
function withSgr(style: TerminalStyle, parameters: string): TerminalStyle {
  // Colons join subparameters: `4:3` is an underline style, `38:2::r:g:b` a color.
  const codes = parameters.split(';').flatMap((parameter) => {
    const [first = '', ...rest] = parameter.split(':')
    if (rest.length === 0 || !/^[34]8$/.test(first)) return [Number(rest[0] === '0' && first === '4' ? 24 : first)]
    const numbers = rest.filter((part) => part !== '').map(Number)
    return [Number(first), ...(numbers[0] === 2 ? [2, ...numbers.slice(-3)] : numbers)]
  })
  let next = { ...style }
  for (let at = 0; at < codes.length; at++) {
    const code = codes[at] ?? 0
    if (code === 0) next = { ...plainStyle }
    else if (code === 38 || code === 48) {
      const { color, used } = extendedColor(codes.slice(at + 1, at + 5))
      next[code === 38 ? 'color' : 'background'] = color
      at += used
    } else Object.assign(next, plainChange(code))
  }
  return next
}

function plainChange(code: number): Partial<TerminalStyle> {
  if (code >= 30 && code <= 37) return { color: paletteColor(code - 30) }
  if (code >= 40 && code <= 47) return { background: paletteColor(code - 40) }
  if (code >= 90 && code <= 97) return { color: paletteColor(code - 90 + 8) }
  if (code >= 100 && code <= 107) return { background: paletteColor(code - 100 + 8) }
  return changes[code] ?? {}
}

const changes: Record<number, Partial<TerminalStyle>> = {
  1: { bold: true },
  2: { dim: true },
  3: { italic: true },
  4: { underline: true },
  7: { inverse: true },
  9: { strike: true },
  21: { underline: true },
  22: { bold: false, dim: false },
  23: { italic: false },
  24: { underline: false },
  27: { inverse: false },
  29: { strike: false },
  39: { color: undefined },
  49: { background: undefined },
}

/** Parses the codes after 38 or 48: `5;n` for 256 colors, or `2;r;g;b`. `used` is the number of codes consumed. */
function extendedColor([kind, ...rest]: number[]): { color: PaletteColor | undefined; used: number } {
  if (kind === 5) return { color: color256(rest[0] ?? 0), used: 2 }
  if (kind === 2) return { color: nearest(rest[0] ?? 0, rest[1] ?? 0, rest[2] ?? 0), used: 4 }
  return { color: undefined, used: 1 }
}

function color256(index: number): PaletteColor | undefined {
  if (index < 16) return paletteColor(index)
  if (index >= 232) {
    const grey = 8 + (index - 232) * 10
    return nearest(grey, grey, grey)
  }
  const step = (value: number) => (value === 0 ? 0 : 55 + value * 40)
  const at = index - 16
  return nearest(step(Math.floor(at / 36)), step(Math.floor(at / 6) % 6), step(at % 6))
}

function paletteColor(index: number): PaletteColor | undefined {
  const name = palette[index % 8]
  return name === undefined || !(index >= 0 && index < 16) ? undefined : index < 8 ? name : `bright-${name}`
}

function nearest(red: number, green: number, blue: number): PaletteColor | undefined {
  const most = Math.max(red, green, blue)
  const least = Math.min(red, green, blue)
  if (!(most >= 0)) return undefined
  if (most - least < 40) return paletteColor(most < 64 ? 0 : most < 140 ? 8 : most < 216 ? 7 : 15)
  const middle = (most + least) / 2
  const index = Number(red > middle) + 2 * Number(green > middle) + 4 * Number(blue > middle)
  return paletteColor(index + (most > 215 ? 8 : 0))
}

/** Returns class names for a style. Drops the color if it equals the background, which would hide the text. */
function classesOf(style: TerminalStyle): string {
  const color = style.color === style.background ? undefined : style.color
  return [
    color && `ansi-${color}`,
    style.background && `ansi-on-${style.background}`,
    style.bold && 'ansi-bold',
    style.dim && 'ansi-dim',
    style.italic && 'ansi-italic',
    style.underline && 'ansi-underline',
    style.strike && 'ansi-strike',
    style.inverse && 'ansi-inverse',
  ]
    .filter(Boolean)
    .join(' ')
}
