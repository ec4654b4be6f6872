import { dingbat } from './dingbats.ts'
import { type Box, identity, intersect, type Matrix, multiply, transformBox, toMatrix } from './geometry.ts'
import { contains, cosSin, type HiddenReason, pagePoint, type Run, type Shape, turn } from './run.ts'

export type Glyphs = readonly (number | null | Glyph)[]

interface Glyph {
  unicode?: string
  width?: number
  isSpace?: boolean
  vmetric?: readonly number[] | null
}

export interface Font {
  vertical: boolean
  bold: boolean
  dingbats: boolean
  unit: number
}

interface State {
  ctm: Matrix
  font: Font
  size: number
  charSpacing: number
  wordSpacing: number
  scale: number
  leading: number
  rise: number
  mode: number
  fill: string
  stroke: string
  alpha: number
  /** Paint replaces what is below it. */
  isOpaque: boolean
  clip: Box
}

export const noFont: Font = { vertical: false, bold: false, dingbats: false, unit: 0.001 }

const mostStates = 500
/** Between two letters of one word, in degrees. */
const mostBend = 20
/** Recognized scans are often tilted by this much, each word a little differently. Their text counts as upright. */
const mostTilt = 3
const mostShapes = 5000

/** Follows the drawing state of a page and collects its runs and shapes. */
export class RunReader {
  state: State
  runs: Run[] = []
  shapes: Shape[] = []
  glyphs = 0
  willClip = false
  #stack: State[] = []
  #run: Run | undefined
  /** Where the last letter of the run ends, in page coordinates. */
  #endX = 0
  #endY = 0
  /** Of the last letter of the run. */
  #direction: Direction = upright
  /** As of the first letter of the run. */
  #runState: Pick<State, 'clip' | 'fill' | 'mode'>
  #textMatrix: Matrix = identity
  #x = 0
  #y = 0
  #lineX = 0
  #lineY = 0
  #order = 0
  readonly #base: Matrix
  readonly #view: Box
  readonly #fonts = new Map<string, Font>()
  readonly #fontOf: (name: string) => Font

  constructor(base: Matrix, view: Box, fontOf: (name: string) => Font) {
    this.#base = base
    this.#view = view
    this.#fontOf = fontOf
    this.state = {
      ctm: base,
      font: noFont,
      size: 1,
      charSpacing: 0,
      wordSpacing: 0,
      scale: 1,
      leading: 0,
      rise: 0,
      mode: 0,
      fill: '#000000',
      stroke: '#000000',
      alpha: 1,
      isOpaque: true,
      clip: view,
    }
    this.#runState = this.state
  }

  setFont(name: string, size: number): void {
    let font = this.#fonts.get(name)
    if (font === undefined) this.#fonts.set(name, (font = this.#fontOf(name)))
    this.state.font = font
    this.state.size = size
  }

  setTextMatrix(matrix: Matrix): void {
    this.#textMatrix = matrix
    this.#x = this.#y = this.#lineX = this.#lineY = 0
  }

  moveText(x: number, y: number): void {
    this.#x = this.#lineX += x
    this.#y = this.#lineY += y
  }

  save(): void {
    if (this.#stack.length < mostStates) this.#stack.push({ ...this.state })
  }

  restore(): void {
    this.state = this.#stack.pop() ?? this.state
  }

  transform(matrix: Matrix | undefined): void {
    if (matrix !== undefined) this.state.ctm = multiply(this.state.ctm, matrix)
  }

  clip(box: unknown): void {
    const corners = box as ArrayLike<number> & Iterable<number>
    if (corners?.length === 4) this.state.clip = intersect(this.state.clip, transformBox(this.state.ctm, corners))
  }

  setGState(entries: unknown): void {
    if (!Array.isArray(entries)) return
    for (const [key, value] of entries as [string, unknown][]) {
      if (key === 'ca') this.state.alpha = Number(value)
      else if (key === 'BM') this.state.isOpaque = value === 'source-over'
      else if (key === 'Font' && Array.isArray(value)) this.setFont(String(value[0]), Number(value[1]))
    }
  }

  beginAnnotation([, rect, transform, matrix]: unknown[]): void {
    this.save()
    this.state = {
      ...this.state,
      ctm: this.#base,
      clip: this.#view,
      mode: 0,
      fill: '#000000',
      alpha: 1,
      isOpaque: true,
    }
    this.clip(rect)
    this.transform(toMatrix(transform))
    this.transform(toMatrix(matrix))
  }

  drawPath(painting: number, extent: unknown, ops: Record<string, number>): void {
    const corners = extent as ArrayLike<number> & Iterable<number>
    if (corners?.length !== 4) {
      this.willClip = false
      return
    }
    this.endRun()
    if (painting !== ops['endPath'] && this.shapes.length < mostShapes) {
      const box = intersect(transformBox(this.state.ctm, corners), this.state.clip)
      const isThin = box.x1 - box.x0 < 3 || box.y1 - box.y0 < 3
      const isStroke = painting === ops['stroke'] || painting === ops['closeStroke']
      if (box.x1 >= box.x0 && box.y1 >= box.y0 && this.state.alpha > 0.9 && this.state.isOpaque) {
        const color = isStroke ? this.state.stroke : this.state.fill
        if (isThin || !isStroke) this.shapes.push({ ...box, color, order: ++this.#order, isRule: isThin })
      }
    }
    if (this.willClip) this.clip(extent)
    this.willClip = false
  }

  showText(glyphs: Glyphs, isClosedLayer: boolean): void {
    if (!Array.isArray(glyphs)) return
    const { state } = this
    const { font, size, scale, charSpacing } = state
    const at = multiply(state.ctm, this.#textMatrix)
    // The direction of writing in page coordinates, and how long a unit is.
    const sign = size * scale < 0 ? -1 : 1
    const alongX = sign * (font.vertical ? at[2] : at[0])
    const alongY = sign * (font.vertical ? at[3] : at[1])
    const unit = Math.hypot(alongX, alongY)
    const height = Math.abs(size) * Math.hypot(at[2], at[3])
    const forward = font.vertical ? -1 : 1
    const direction = directionOf(forward * alongX, forward * alongY)
    const hidden = this.#hiddenReason(isClosedLayer)
    const spacing = charSpacing * scale * unit
    for (const glyph of glyphs as Glyphs) {
      if (glyph === null) continue
      if (typeof glyph === 'number') {
        if (font.vertical) this.#y -= (glyph * size) / 1000
        else this.#x -= ((glyph * size) / 1000) * scale
        continue
      }
      this.glyphs++
      const extra = charSpacing + (glyph.isSpace === true ? state.wordSpacing : 0)
      const width = font.vertical ? (glyph.vmetric?.[0] ?? -1000) : (glyph.width ?? 0)
      const advance = width * size * font.unit
      const x = this.#x
      const y = this.#y + state.rise
      if (font.vertical) this.#y += advance + extra
      else this.#x += (advance + extra) * scale
      const unicode = glyph.unicode ?? ''
      const text = font.dingbats ? dingbat(unicode) : inDrawingOrder(unicode)
      if (text === '' || isBlank(text)) {
        if (this.#run !== undefined && text !== '') this.#run.space = true
        this.endRun()
        continue
      }
      const startX = at[0] * x + at[2] * y + at[4]
      const startY = at[1] * x + at[3] * y + at[5]
      // Vertical letters hang centered below their origin. The layout reads them like a line that is turned by 90 degrees.
      const hang = font.vertical ? height * 0.3 : 0
      const letterX = startX - hang * direction.sin
      const letterY = startY + hang * direction.cos
      const length = Math.abs(font.vertical ? advance : advance * scale) * unit
      this.#add(text, letterX, letterY, length, height, direction, font.vertical ? 0 : spacing, hidden)
    }
  }

  #hiddenReason(isClosedLayer: boolean): HiddenReason | undefined {
    const { mode, alpha } = this.state
    if (isClosedLayer) return 'layer'
    return mode === 3 || alpha < 0.02 ? 'invisible' : undefined
  }

  #add(
    text: string,
    x: number,
    y: number,
    width: number,
    size: number,
    direction: Direction,
    spacing: number,
    hidden?: HiddenReason,
  ): void {
    const run = this.#run
    const gap =
      run === undefined || run.hidden !== hidden ? undefined : this.#gapTo(run, x, y, size, direction, spacing)
    if (run === undefined || gap === undefined) {
      this.endRun()
      const { x: along, y: across } = turn({ x, y }, direction.frame)
      this.#start(
        {
          text,
          x0: along,
          x1: along + width,
          y0: across - size * 0.8,
          y1: across + size * 0.2,
          baseline: across,
          size,
          angle: direction.frame,
          hidden,
        },
        this.state.font,
      )
    } else {
      run.text += text
      run.x1 = Math.max(run.x1, run.x1 + gap + width)
    }
    this.#direction = direction
    this.#endX = x + width * direction.cos
    this.#endY = y + width * direction.sin
  }

  /**
   * The space before a letter that continues the run, because it starts where the run ends. Undefined for others. On an
   * arc, each letter has a slightly different angle.
   */
  #gapTo(run: Run, x: number, y: number, size: number, { angle }: Direction, spacing: number): number | undefined {
    const { cos, sin, angle: before } = this.#direction
    const bend = angle === before ? 0 : Math.abs(((angle - before + 540) % 360) - 180)
    if (bend > mostBend || Math.abs(size - run.size) >= size * 0.05) return undefined
    const [dx, dy] = [x - this.#endX, y - this.#endY]
    const along = dx * cos + dy * sin
    const gap = along - Math.max(0, spacing)
    const isOnLine = Math.abs(dy * cos - dx * sin) < size * (bend > 1 ? 0.2 : 0.05)
    return isOnLine && gap < size * 0.1 && gap > -size * 0.2 ? along : undefined
  }

  #start(run: Omit<Run, 'bold' | 'space' | 'order' | 'doubt'>, font: Font): void {
    this.#run = { ...run, bold: font.bold, space: false, order: ++this.#order }
    this.#runState = { clip: this.state.clip, fill: this.state.fill, mode: this.state.mode }
  }

  /** Text that is clipped away or outside the page is hidden. Text in the color of its background may be. */
  endRun(): void {
    const run = this.#run
    this.#run = undefined
    if (run === undefined) return
    const middle = pagePoint(run)
    const { clip, fill, mode } = this.#runState
    const { x0, y0, x1, y1 } = intersect(clip, this.#view)
    const isInside = middle.x >= x0 - 1 && middle.x <= x1 + 1 && middle.y >= y0 - 1 && middle.y <= y1 + 1
    if (run.hidden === undefined && !isInside) run.hidden = 'outside'
    if (mode === 0 && run.hidden === undefined && this.#isLikeBackground(fill, middle)) run.doubt = 'color'
    this.runs.push(run)
  }

  #isLikeBackground(fill: string, { x, y }: { x: number; y: number }): boolean {
    if (fill === 'pattern' || (fill === '#000000' && this.shapes.length === 0)) return false
    const under = this.shapes.findLast((shape) => !shape.isRule && contains(shape, x, y))
    return colorDistance(fill, under?.color ?? '#ffffff') < 40
  }
}

/** A direction of writing in page coordinates. */
interface Direction {
  /** In degrees. */
  angle: number
  cos: number
  sin: number
  /** The angle under which the text is laid out. */
  frame: number
}

const upright: Direction = { angle: 0, cos: 1, sin: 0, frame: 0 }

function directionOf(x: number, y: number): Direction {
  if (y === 0 && x > 0) return upright
  const angle = ((Math.atan2(y, x) * 180) / Math.PI + 360) % 360
  const [cos, sin] = cosSin(angle)
  return { angle, cos, sin, frame: frameAngle(angle) }
}

/** The angle under which a text is laid out. Equal for the lines of a text, whose matrices differ in their last digits. */
function frameAngle(angle: number): number {
  const quarter = Math.round(angle / 90) * 90
  return (Math.abs(angle - quarter) <= mostTilt ? quarter : Math.round(angle * 2) / 2) % 360
}

function colorDistance(a: string, b: string): number {
  if (a === 'pattern' || b === 'pattern') return Infinity
  const [one, other] = [Number.parseInt(a.slice(1), 16), Number.parseInt(b.slice(1), 16)]
  const part = (shift: number): number => Math.abs(((one >> shift) & 255) - ((other >> shift) & 255))
  return part(16) + part(8) + part(0)
}

/** One glyph of several Hebrew or Arabic letters. Like the glyphs, letters go from left to right. */
function inDrawingOrder(text: string): string {
  return text.length > 1 && /[\u0590-\u08ff]/.test(text) ? text.split('').toReversed().join('') : text
}

function isBlank(text: string): boolean {
  return text === ' ' || text.trim() === ''
}
