import type { TerminalQuery } from './queries.ts'
import { isAlternateMode, type ScreenPoint, ScreenState } from './screen-state.ts'

/* oxlint-disable no-control-regex -- control characters are what this is about */

/** Output between two switches of the screen, with the state it begins in. */
export interface Segment {
  text: string
  at: ScreenPoint
}

/**
 * Lets through text and the sequences that draw. Everything else is dropped, whether this version of the emulator
 * knows it or not: titles, the clipboard, notifications, colors of the page, images, and queries, because an answer
 * would be typed into the shell. Links stay if they are http or https. The filter rewrites each sequence from what it
 * understood, so a sequence that is split, overlong or malformed never reaches the page.
 */
export interface OutputFilter {
  push(text: string): Segment[]
  readonly state: ScreenState
}

// Everything but text, bell, backspace, tab, line ends and the charset shifts. Direction overrides would reorder a line.
const special = /[\x00-\x06\x10-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]/g
const wholeCsi = /\x1b\[([0-9:;]{0,64})([@-~])/y
const longestSequence = 256
const longestLink = 2048
/** A string that never ends must not hide the rest of the output. */
const longestString = 1 << 16
/** No screen has more columns or rows. Emulators loop over larger counts. */
const mostCount = 1000

type Mode = 'text' | 'escape' | 'csi' | 'osc' | 'string'

/**
 * `onQuery` hears what a program asks. If it returns a number, the page reads that number at the same place of the
 * output, as the second parameter of the query.
 */
export function createOutputFilter(
  onQuery: (query: TerminalQuery) => number | undefined = () => undefined,
): OutputFilter {
  const state = new ScreenState()
  let mode: Mode = 'text'
  let buffer = ''
  let swallowed = 0
  let segments: Segment[] = []
  let pieces: string[] = []
  let at = state.point

  return { push, state }

  function push(text: string): Segment[] {
    segments = []
    pieces = []
    at = state.point
    for (let i = 0; i < text.length;) {
      if (mode !== 'text') {
        i += step(text[i] ?? '')
        continue
      }
      special.lastIndex = i
      const end = special.exec(text)?.index ?? text.length
      if (end > i) pieces.push(text.slice(i, end))
      i = end + 1
      if (text[end] === '\x1b') i = takeWhole(text, end)
    }
    cut()
    return segments
  }

  /** Most sequences are short and in one piece. Returns the position after it. */
  function takeWhole(text: string, from: number): number {
    wholeCsi.lastIndex = from
    const [, parameters = '', final] = wholeCsi.exec(text) ?? []
    if (final === undefined) {
      begin('escape')
      return from + 1
    }
    plainCsi(parameters, final)
    return wholeCsi.lastIndex
  }

  function cut(): void {
    const text = pieces.join('')
    if (text !== '') segments.push({ text, at })
    pieces = []
    at = state.point
  }

  function begin(next: Mode): void {
    mode = next
    buffer = ''
    swallowed = 0
  }

  /** Handles a character of a sequence. Returns 0 if it belongs to what follows. */
  function step(character: string): 0 | 1 {
    const code = character.charCodeAt(0)
    if (code === 0x1b) {
      if (mode === 'osc') endOsc()
      begin('escape')
      return 1
    }
    if (code === 0x18 || code === 0x1a) {
      begin('text')
      return 1
    }
    if (mode === 'string' || mode === 'osc') {
      if (code === 0x9c || (code === 0x07 && mode === 'osc')) {
        if (mode === 'osc') endOsc()
        begin('text')
      } else if (++swallowed > longestString) begin('text')
      else if (mode === 'osc' && code >= 0x20 && buffer.length <= longestLink + 64) buffer += character
      return 1
    }
    if (code < 0x20) {
      // Executed immediately, as terminals do.
      if (code >= 0x07 && code <= 0x0f) pieces.push(character)
      return 1
    }
    if (code >= 0x7f) {
      begin('text')
      return code < 0xa0 ? 1 : 0
    }
    return mode === 'csi' ? stepCsi(character, code) : stepEscape(character, code)
  }

  function stepEscape(character: string, code: number): 1 {
    if (buffer === '' && character === '[') begin('csi')
    else if (buffer === '' && character === ']') begin('osc')
    else if (buffer === '' && 'PX^_'.includes(character)) begin('string')
    else if (code < 0x30) buffer += buffer.length < 3 ? character : ''
    else {
      escape(buffer, character)
      begin('text')
    }
    return 1
  }

  function escape(intermediate: string, final: string): void {
    if (intermediate === '' && final === 'c') {
      state.reset()
      pieces.push('\x1bc')
      cut()
    } else if (intermediate === '' && '78DEHM=>'.includes(final)) pieces.push(`\x1b${final}`)
    else if (intermediate === '(' && '0AB'.includes(final)) {
      state.setCharset(final)
      pieces.push(`\x1b(${final}`)
    } else if ((intermediate === ')' && '0AB'.includes(final)) || (intermediate === '#' && final === '8'))
      pieces.push(`\x1b${intermediate}${final}`)
  }

  function stepCsi(character: string, code: number): 1 {
    if (code < 0x40) buffer += buffer.length <= longestSequence ? character : ''
    else {
      if (buffer.length <= longestSequence) csi(buffer, character)
      begin('text')
    }
    return 1
  }

  function csi(given: string, final: string): void {
    const [, prefix = '', parameters = '', intermediate = ''] = /^([<-?]*)([0-9:;]*)([ -/]*)$/.exec(given) ?? ['', '!']
    const kind = prefix + intermediate
    if (kind === '') plainCsi(parameters, final)
    else if (kind === '?' && (final === 'h' || final === 'l')) setModes(parameters, final)
    else if (kind === '?' && (final === 'J' || final === 'K')) pieces.push(`\x1b[?${clamp(parameters)}${final}`)
    else if (kind === ' ' && final === 'q') pieces.push(`\x1b[${clamp(parameters)} q`)
    else if (kind === '!' && final === 'p') {
      state.setLook('0')
      state.setRegion('')
      state.setMode(25, true)
      pieces.push('\x1b[!p')
    }
  }

  /** Without a prefix or an intermediate character. */
  function plainCsi(parameters: string, final: string): void {
    if (final === 'm') {
      state.setLook(parameters)
      pieces.push(`\x1b[${parameters}m`)
    } else if (final === 'r') {
      state.setRegion(clamp(parameters))
      pieces.push(`\x1b[${clamp(parameters)}r`)
    } else if ('@ABCDEFGHIJKLMPSTXZ`abdefgsu'.includes(final)) pieces.push(`\x1b[${clamp(parameters)}${final}`)
    else if ((final === 'h' || final === 'l') && (parameters === '4' || parameters === '20'))
      pieces.push(`\x1b[${parameters}${final}`)
    else if (final === 'c' && (parameters === '' || parameters === '0')) onQuery('identity')
    else if (final === 'n' && parameters === '5') onQuery('status')
    else if (final === 'n' && parameters === '6') {
      const number = onQuery('position')
      if (number !== undefined) pieces.push(`\x1b[6;${number}n`)
    }
  }

  function setModes(parameters: string, final: 'h' | 'l'): void {
    for (const one of parameters.split(';').slice(0, 32)) {
      const number = Number(one)
      if (!allowedModes.has(number)) continue
      if (isAlternateMode(number) && (final === 'h') !== state.alternate) {
        // Each switch is a separate segment, which stays when the output of the other screen is dropped.
        cut()
        at = { ...at, alternate: false }
        pieces.push(`\x1b[?${number}${final}`)
        state.setMode(number, final === 'h')
        cut()
        continue
      }
      state.setMode(number, final === 'h')
      pieces.push(`\x1b[?${number}${final}`)
    }
  }

  function endOsc(): void {
    const [, , target] = /^8;([^;]*);(.*)$/s.exec(buffer) ?? []
    // An empty or refused target also ends the link before it.
    if (target !== undefined) pieces.push(`\x1b]8;;${webLink(target) ?? ''}\x1b\\`)
  }
}

/** Cursor keys, wrapping, cursor, mouse, focus, the second screen, bracketed paste and synchronized output. */
const allowedModes = new Set([
  1, 6, 7, 9, 12, 25, 45, 47, 66, 1000, 1002, 1003, 1004, 1006, 1047, 1048, 1049, 2004, 2026,
])

function clamp(parameters: string): string {
  return parameters
    .split(';')
    .slice(0, 16)
    .map((one) => (one === '' ? '' : String(Math.min(Number.parseInt(one, 10) || 0, mostCount))))
    .join(';')
}

function webLink(target: string): string | undefined {
  if (target.length > longestLink || !URL.canParse(target)) return undefined
  const { protocol, href } = new URL(target)
  return protocol === 'http:' || protocol === 'https:' ? href : undefined
}
