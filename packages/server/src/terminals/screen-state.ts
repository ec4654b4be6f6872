/** Modes a viewer needs to continue in the middle of the output. The default of each is off, except as listed. */
const trackedModes = [1, 6, 7, 25, 66, 1000, 1002, 1003, 1004, 1006, 2004]
const onByDefault = [7, 25]
const mostLooks = 100

/** The state at one position of the output. */
export interface ScreenPoint {
  alternate: boolean
  /** Sequences that set everything else to this state, whatever it was before. */
  preamble: string
}

/**
 * Follows the sequences that outlast the text they came with: colors, modes, the scroll region. A viewer that skips
 * output starts with the state at that position.
 */
export class ScreenState {
  alternate = false
  #modes = new Set<number>(onByDefault)
  #look = new Map<string, string>()
  #looks: string[] = []
  #region = ''
  #charset = 'B'
  #known: ScreenPoint | undefined

  get point(): ScreenPoint {
    this.#known ??= { alternate: this.alternate, preamble: this.#preamble() }
    return this.#known
  }

  reset(): void {
    this.#known = undefined
    this.alternate = false
    this.#modes = new Set(onByDefault)
    this.#look.clear()
    this.#looks = []
    this.#region = ''
    this.#charset = 'B'
  }

  setMode(mode: number, on: boolean): void {
    this.#known = undefined
    if (isAlternateMode(mode)) this.alternate = on
    else if (!trackedModes.includes(mode)) return
    else if (on) this.#modes.add(mode)
    else this.#modes.delete(mode)
  }

  setRegion(region: string): void {
    this.#known = undefined
    this.#region = region
  }

  setCharset(charset: string): void {
    this.#known = undefined
    this.#charset = charset
  }

  /** Follows `CSI … m`. */
  setLook(parameters: string): void {
    this.#known = undefined
    if (parameters === '' || parameters === '0') {
      this.#look.clear()
      this.#looks.length = 0
    } else if (this.#looks.push(parameters) > mostLooks) this.#applyLooks()
  }

  /** Most changes are undone before anyone asks, so they are read only then. */
  #applyLooks(): void {
    for (const parameters of this.#looks.splice(0)) this.#applyLook(parameters)
  }

  #applyLook(parameters: string): void {
    const codes = parameters.split(';')
    for (let at = 0; at < codes.length; at++) {
      const [name = ''] = (codes[at] ?? '').split(':')
      const code = Number(name)
      if (code === 0) this.#look.clear()
      else if ((code === 38 || code === 48 || code === 58) && codes[at] === name) {
        const length = codes[at + 1] === '5' ? 3 : 5
        this.#look.set(colorKey(code), codes.slice(at, at + length).join(';'))
        at += length - 1
      } else this.#setOne(code, codes[at] ?? '')
    }
  }

  #setOne(code: number, text: string): void {
    for (const key of endedBy[code] ?? []) this.#look.delete(key)
    if (code in endedBy) return
    if (code < 10) this.#look.set(String(code), text)
    else if (code === 21) this.#look.set('4', text)
    else if (code === 53) this.#look.set('53', text)
    else if ((code >= 30 && code <= 38) || (code >= 90 && code <= 97)) this.#look.set('color', text)
    else if ((code >= 40 && code <= 48) || (code >= 100 && code <= 107)) this.#look.set('background', text)
    else if (code === 58) this.#look.set('underline', text)
  }

  #preamble(): string {
    this.#applyLooks()
    const modes = trackedModes.map((mode) => `\x1b[?${mode}${this.#modes.has(mode) ? 'h' : 'l'}`).join('')
    // Setting the region moves the cursor.
    const region = `\x1b7\x1b[${this.#region}r\x1b8`
    return `${region}\x1b(${this.#charset}${modes}\x1b[${['0', ...this.#look.values()].join(';')}m`
  }
}

export function isAlternateMode(mode: number): boolean {
  return mode === 47 || mode === 1047 || mode === 1049
}

const endedBy: Record<number, string[]> = {
  22: ['1', '2'],
  23: ['3'],
  24: ['4'],
  25: ['5', '6'],
  27: ['7'],
  28: ['8'],
  29: ['9'],
  39: ['color'],
  49: ['background'],
  55: ['53'],
  59: ['underline'],
}

function colorKey(code: number): string {
  return code === 38 ? 'color' : code === 48 ? 'background' : 'underline'
}
