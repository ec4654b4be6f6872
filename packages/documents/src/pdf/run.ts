import type { Box } from './geometry.ts'

/** Letters drawn side by side without a gap, mostly one word. Coordinates are points from the top left of the page as shown. */
export interface Run extends Box {
  text: string
  /** Place on the line that the letters stand on. */
  baseline: number
  size: number
  bold: boolean
  /** Quarter turns clockwise, after which the text is upright. */
  turns: number
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
export function pagePoint(run: Run): { x: number; y: number } {
  const along = (run.x0 + run.x1) / 2
  const across = (run.y0 + run.y1) / 2
  switch (run.turns) {
    case 1:
      return { x: -across, y: along }
    case 2:
      return { x: -along, y: -across }
    case 3:
      return { x: across, y: -along }
    default:
      return { x: along, y: across }
  }
}

export function contains(box: Box, x: number, y: number): boolean {
  return x >= box.x0 && x <= box.x1 && y >= box.y0 && y <= box.y1
}
