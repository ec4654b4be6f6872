import { latestTime } from '../stores/exported-schemas.ts'

/** Looks into data of strangers: what is not of the expected kind is as good as absent. */
export type Loose = Record<string, unknown>

export function record(value: unknown): Loose {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Loose) : {}
}

export function list(value: unknown): unknown[] {
  return Array.isArray(value) ? value : []
}

export function text(value: unknown): string {
  return typeof value === 'string' ? value : ''
}

/** Milliseconds of a number of seconds or milliseconds, or of a date in words; undefined where it is no date. */
export function time(value: unknown): number | undefined {
  const given = typeof value === 'string' && /^\d+(\.\d+)?$/.test(value) ? Number(value) : value
  const milliseconds =
    typeof given === 'string'
      ? Date.parse(given)
      : typeof given === 'number' && given > 0
        ? inMilliseconds(given)
        : undefined
  return milliseconds !== undefined && Math.abs(milliseconds) <= latestTime ? milliseconds : undefined
}

/** Seconds until the year 5138 are smaller than milliseconds since March 1973; nanoseconds are larger than both. */
function inMilliseconds(value: number): number {
  if (value > 1e16) return Math.round(value / 1e6)
  return Math.round(value < 1e11 ? value * 1000 : value)
}
