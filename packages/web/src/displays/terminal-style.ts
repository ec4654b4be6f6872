/** How a stretch of terminal text looks. Colours are names of a palette, so that no text can bring a style of its own. */
export interface TerminalStyle {
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
export type PaletteColor = (typeof palette)[number] | `bright-${(typeof palette)[number]}`

export const plainStyle: TerminalStyle = {
  color: undefined,
  background: undefined,
  bold: false,
  dim: false,
  italic: false,
  underline: false,
  strike: false,
  inverse: false,
}

/** The style after `ESC [ parameters m`. Text is never concealed: what was printed can be read. */
export function withSgr(style: TerminalStyle, parameters: string): TerminalStyle {
  // A colon joins what belongs together: `4:3` is an underline of a kind, `38:2::r:g:b` a colour.
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

/** After 38 or 48: `5;n` of 256 colours, or `2;r;g;b`. `used` is how many codes it took. */
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

/** The colour of the palette by which channels stand out, and how much light there is. */
function nearest(red: number, green: number, blue: number): PaletteColor | undefined {
  const most = Math.max(red, green, blue)
  const least = Math.min(red, green, blue)
  if (!(most >= 0)) return undefined
  if (most - least < 40) return paletteColor(most < 64 ? 0 : most < 140 ? 8 : most < 216 ? 7 : 15)
  const middle = (most + least) / 2
  const index = Number(red > middle) + 2 * Number(green > middle) + 4 * Number(blue > middle)
  return paletteColor(index + (most > 215 ? 8 : 0))
}

/** Class names for a style; empty for plain text. Text in the colour of its own ground would be hidden: it loses it. */
export function classesOf(style: TerminalStyle): string {
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
