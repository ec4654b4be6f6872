import type { PathStyle } from './instant-event.ts'

/** Stands for every item of a list and every key of a record. */
export const wildcard: unique symbol = Symbol('*')

export type Segment = string | number
export type PatternSegment = Segment | typeof wildcard

const dotPiece = /\[(?:(\*)|(\d+)|("(?:[^"\\]|\\.)*"))\]|("(?:[^"\\]|\\.)*"|[^.[\]"/]+)/y
const slashPiece = /\[(?:(\*)|(\d+)|("(?:[^"\\]|\\.)*"))\]|("(?:[^"\\]|\\.)*"|[^[\]"/]+)/y
const quoted = /"(?:[^"\\]|\\.)*"/g

/**
 * Reads `items[0].title`, `items/0/title`, `items[*]`, `scores.*`; a slash outside quotes tells the style. A bare number
 * is a list index and a bare `*` a wildcard, so keys that look like that, and keys with one of `. / [ ] "` in them,
 * are written as JSON strings: `files["a.txt"]`, in slash style `files/"a.txt"`.
 */
export function parsePath(path: string): PatternSegment[] {
  const slash = path.replace(quoted, '').includes('/')
  const separator = slash ? '/' : '.'
  const piece = slash ? slashPiece : dotPiece
  const segments: PatternSegment[] = []
  let at = path.startsWith('/') ? 1 : 0
  while (at < path.length) {
    if (segments.length > 0 && path[at] !== '[') {
      if (path[at] !== separator) throw unreadable(path)
      at++
    }
    piece.lastIndex = at
    const found = piece.exec(path)
    if (found === null) throw unreadable(path)
    segments.push(toSegment(found))
    at = piece.lastIndex
  }
  return segments
}

function toSegment([, star, index, key, bare]: RegExpExecArray): PatternSegment {
  if (star !== undefined || bare === '*') return wildcard
  if (index !== undefined) return Number(index)
  if (key !== undefined) return JSON.parse(key) as string
  const name = bare as string
  if (name.startsWith('"')) return JSON.parse(name) as string
  return /^\d+$/.test(name) ? Number(name) : name
}

function unreadable(path: string): Error {
  return new Error(
    `"${path}" is not a path. Write paths like items[0].title, items[*].title or items/0/title; quote keys with special characters: files["a.txt"].`,
  )
}

/** Keys that must not be taken for an index, a wildcard or two segments. */
const special = /^(?:\d+|\*|)$|[./[\]"]/

/** How a path goes on from a place to one below it. */
export function pathSuffix(segment: PatternSegment, isFirst: boolean, style: PathStyle): string {
  const name = segment === wildcard ? '*' : segment
  if (style === 'slash') {
    const text = typeof name === 'string' && segment !== wildcard && special.test(name) ? JSON.stringify(name) : name
    return isFirst ? String(text) : `/${text}`
  }
  if (typeof name === 'number' || segment === wildcard) return `[${name}]`
  if (special.test(name)) return `[${JSON.stringify(name)}]`
  return isFirst ? name : `.${name}`
}

export function formatPath(segments: readonly PatternSegment[], style: PathStyle = 'dot'): string {
  return segments.map((segment, index) => pathSuffix(segment, index === 0, style)).join('')
}

/** Every value that a path leads to, in the order of the document, with the path of each. Own properties only. */
export function valuesAt(value: unknown, path: string): { path: string; value: unknown }[] {
  let found: { segments: Segment[]; value: unknown }[] = [{ segments: [], value }]
  for (const segment of parsePath(path)) {
    found = found.flatMap((holder) =>
      childrenAt(holder.value, segment).map(([key, child]) => ({ segments: [...holder.segments, key], value: child })),
    )
  }
  return found.map((hit) => ({ path: formatPath(hit.segments), value: hit.value }))
}

/** The children of a value that one segment of a path leads to. */
export function childrenAt(holder: unknown, segment: PatternSegment): [key: Segment, child: unknown][] {
  if (Array.isArray(holder)) {
    const list = holder as unknown[]
    if (segment === wildcard) return list.map((item, index) => [index, item])
    return typeof segment === 'number' && segment < list.length ? [[segment, list[segment]]] : []
  }
  if (typeof holder !== 'object' || holder === null) return []
  if (segment === wildcard) return Object.entries(holder)
  const key = String(segment)
  return Object.hasOwn(holder, key) ? [[key, (holder as Record<string, unknown>)[key]]] : []
}
