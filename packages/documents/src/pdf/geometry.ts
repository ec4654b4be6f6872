/** `[a, b, c, d, e, f]` maps (x, y) to (ax + cy + e, bx + dy + f). */
export type Matrix = readonly [number, number, number, number, number, number]

export interface Box {
  x0: number
  y0: number
  x1: number
  y1: number
}

export const identity: Matrix = [1, 0, 0, 1, 0, 0]

/** Applies `inner` first. */
export function multiply(outer: Matrix, inner: Matrix): Matrix {
  return [
    outer[0] * inner[0] + outer[2] * inner[1],
    outer[1] * inner[0] + outer[3] * inner[1],
    outer[0] * inner[2] + outer[2] * inner[3],
    outer[1] * inner[2] + outer[3] * inner[3],
    outer[0] * inner[4] + outer[2] * inner[5] + outer[4],
    outer[1] * inner[4] + outer[3] * inner[5] + outer[5],
  ]
}

/** The smallest upright box around a transformed box. */
export function transformBox(matrix: Matrix, [left, bottom, right, top]: ArrayLike<number> & Iterable<number>): Box {
  const xs = [left, right].flatMap((x = 0) => [bottom, top].map((y = 0) => matrix[0] * x + matrix[2] * y + matrix[4]))
  const ys = [left, right].flatMap((x = 0) => [bottom, top].map((y = 0) => matrix[1] * x + matrix[3] * y + matrix[5]))
  return { x0: Math.min(...xs), y0: Math.min(...ys), x1: Math.max(...xs), y1: Math.max(...ys) }
}

export function intersect(a: Box, b: Box): Box {
  return { x0: Math.max(a.x0, b.x0), y0: Math.max(a.y0, b.y0), x1: Math.min(a.x1, b.x1), y1: Math.min(a.y1, b.y1) }
}

/** Undefined for anything but six numbers, which damaged files have. */
export function toMatrix(values: unknown): Matrix | undefined {
  const given = values as ArrayLike<unknown> | null | undefined
  if (given?.length !== 6) return undefined
  const numbers = Array.from(given, Number)
  return numbers.every(Number.isFinite) ? (numbers as unknown as Matrix) : undefined
}
