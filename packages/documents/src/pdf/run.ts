import type { Box } from './geometry.ts'

/** Letters drawn side by side without a gap, mostly one word. Coordinates are points from the top left of the page as shown. */
export interface Run extends Box {
  text: string
  /** Place on the line that the letters stand on. */
  baseline: number
  size: number
  bold: boolean
  /** Direction of writing in degrees clockwise, from 0 for upright text to 360. The box of a run is turned by it. */
  angle: number
  /** The document has a space after this run. */
  space: boolean
  /** Place in the drawing order of the page. */
  order: number
  hidden?: HiddenReason | undefined
  /** Not certain without a look at the pixels. */
  doubt?: 'color' | 'covered' | undefined
}

export type HiddenReason = 'invisible' | 'outside' | 'layer' | 'color' | 'covered'

/** A horizontal or vertical line, or a filled area. */
export interface Shape extends Box {
  color: string
  order: number
  isRule: boolean
}

/** The middle of a run in page coordinates. */
export function pagePoint(run: Run): Point {
  return turnBack({ x: (run.x0 + run.x1) / 2, y: (run.y0 + run.y1) / 2 }, run.angle)
}

export interface Point {
  x: number
  y: number
}

/** The place of a page as seen by a reader who turns the head: `x` along the line, `y` across it, growing downward. */
export function turn({ x, y }: Point, angle: number): Point {
  const [cos, sin] = cosSin(angle)
  return { x: x * cos + y * sin, y: y * cos - x * sin }
}

export function turnBack({ x, y }: Point, angle: number): Point {
  const [cos, sin] = cosSin(angle)
  return { x: x * cos - y * sin, y: x * sin + y * cos }
}

/** Exact for quarter turns. */
export function cosSin(angle: number): readonly [number, number] {
  const quarter = quarters[angle / 90]
  const radians = (angle * Math.PI) / 180
  return quarter ?? [Math.cos(radians), Math.sin(radians)]
}

const quarters: readonly (readonly [number, number])[] = [
  [1, 0],
  [0, 1],
  [-1, 0],
  [0, -1],
]

export function contains(box: Box, x: number, y: number): boolean {
  return x >= box.x0 && x <= box.x1 && y >= box.y0 && y <= box.y1
}
