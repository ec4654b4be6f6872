/** Matches every item of a list and every key of a record. */
export const wildcard: unique symbol = Symbol('*')

export type Segment = string | number
export type PatternSegment = Segment | typeof wildcard

const dotPiece = /\[(?:(\*)|(\d+)|("(?:[^"\\]|\\.)*"))\]|("(?:[^"\\]|\\.)*"|[^.[\]"/]+)/y
const slashPiece = /\[(?:(\*)|(\d+)|("(?:[^"\\]|\\.)*"))\]|("(?:[^"\\]|\\.)*"|[^[\]"/]+)/y
const quoted = /"(?:[^"\\]|\\.)*"/g

/**
 * Parses `items[0].title`, `items/0/title`, `items[*]`, `scores.*`. A slash outside quotes selects slash style. A bare
 * number is a list index and a bare `*` a wildcard. Keys that look like these, or contain one of `. / [ ] "`, are
 * written as JSON strings: `files["a.txt"]`, in slash style `files/"a.txt"`.
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

/** Keys that need quotes, because they look like an index, a wildcard or two segments. */
const special = /^(?:\d+|\*|)$|[./[\]"]/

function pathSuffix(segment: PatternSegment, isFirst: boolean, style: PathStyle): string {
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

/** Returns all values a path matches with their paths, in document order. Own properties only. */
export function valuesAt(value: unknown, path: string): { path: string; value: unknown }[] {
  let found: { segments: Segment[]; value: unknown }[] = [{ segments: [], value }]
  for (const segment of parsePath(path)) {
    found = found.flatMap((holder) =>
      childrenAt(holder.value, segment).map(([key, child]) => ({ segments: [...holder.segments, key], value: child })),
    )
  }
  return found.map((hit) => ({ path: formatPath(hit.segments), value: hit.value }))
}

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

/** Receives complete values at the paths its pattern matches. */
export interface Watcher {
  readonly pattern: readonly PatternSegment[]
}

/** A watcher whose pattern may match a node, provided the list indexes at these positions match. */
interface WatcherMatch<W extends Watcher> {
  readonly watcher: W
  readonly indexes: readonly (readonly [position: number, index: number])[]
}

/** Deeper values are parsed too, but have no node and emit no events. */
const maxDepth = 256

/**
 * All values with one wildcard path, such as `items[*].title`. Nodes are created once and shared by all items, blocks
 * and attempts. Each path is built once, and checking for watchers is a field access.
 */
export class PathNode<W extends Watcher = Watcher> {
  readonly depth: number
  readonly wildcardPath: string
  readonly name: string | undefined
  /** Watchers whose pattern ends here, or undefined if none. */
  watching: WatcherMatch<W>[] | undefined
  readonly #owner: PathTree<W>
  readonly #segment: string | typeof wildcard | undefined
  readonly #suffix: string
  readonly #lists: number
  /** Watchers whose pattern continues below. */
  #leads: WatcherMatch<W>[] = []
  #keys: Map<string, PathNode<W>> | undefined
  /** Caches the last key looked up and its successor: objects in a list have the same keys. */
  #latest: PathNode<W> | undefined
  #next: PathNode<W> | undefined
  #item: PathNode<W> | undefined

  constructor(owner: PathTree<W>, parent?: PathNode<W>, segment?: string | typeof wildcard) {
    this.#owner = owner
    this.#segment = segment
    this.name = typeof segment === 'string' ? segment : undefined
    this.depth = parent === undefined ? 0 : parent.depth + 1
    this.#suffix = segment === undefined ? '' : pathSuffix(segment, this.depth === 1, owner.style)
    this.wildcardPath = parent === undefined ? '' : parent.wildcardPath + this.#suffix
    this.#lists = parent === undefined ? 0 : parent.#lists + (segment === wildcard ? 1 : 0)
    if (parent !== undefined) for (const lead of parent.#leads) this.#follow(lead)
  }

  key(key: string): PathNode<W> | undefined {
    const latest = this.#latest
    const guessed = latest === undefined ? undefined : latest.#next
    if (guessed !== undefined && guessed.name === key) {
      this.#latest = guessed
      return guessed
    }
    const place = this.#keys?.get(key) ?? this.#add(key)
    if (latest !== undefined) latest.#next = place
    this.#latest = place
    return place
  }

  #add(key: string): PathNode<W> | undefined {
    if (this.depth === maxDepth) return undefined
    const place = new PathNode(this.#owner, this, key)
    this.#keys ??= new Map()
    this.#keys.set(key, place)
    return place
  }

  item(): PathNode<W> | undefined {
    if (this.#item === undefined && this.depth < maxDepth) this.#item = new PathNode(this.#owner, this, wildcard)
    return this.#item
  }

  path(holder: string, key: string | number): string {
    if (typeof key === 'string') return holder + this.#suffix
    if (this.#owner.style === 'dot') return `${holder}[${key}]`
    return this.depth === 1 ? String(key) : `${holder}/${key}`
  }

  admit(watcher: W): void {
    this.#accept({ watcher, indexes: [] })
  }

  dismiss(watcher: W): void {
    if (this.watching?.some((lead) => lead.watcher === watcher)) {
      const others = this.watching.filter((lead) => lead.watcher !== watcher)
      this.watching = others.length === 0 ? undefined : others
    }
    if (!this.#leads.some((lead) => lead.watcher === watcher)) return
    this.#leads = this.#leads.filter((lead) => lead.watcher !== watcher)
    this.#item?.dismiss(watcher)
    for (const place of this.#keys?.values() ?? []) place.dismiss(watcher)
  }

  #accept(lead: WatcherMatch<W>): void {
    if (lead.watcher.pattern.length === this.depth) {
      this.watching = [...(this.watching ?? []), lead]
      return
    }
    this.#leads = [...this.#leads, lead]
    if (this.#item !== undefined) this.#item.#follow(lead)
    for (const place of this.#keys?.values() ?? []) place.#follow(lead)
  }

  /** Takes over a parent's watcher if its pattern passes through here. */
  #follow(lead: WatcherMatch<W>): void {
    const wanted = lead.watcher.pattern[this.depth - 1]
    if (wanted === wildcard) return this.#accept(lead)
    if (this.#segment !== wildcard) {
      if (String(wanted) === this.#segment) this.#accept(lead)
      return
    }
    if (typeof wanted !== 'number') return
    this.#accept({ watcher: lead.watcher, indexes: [...lead.indexes, [this.#lists - 1, wanted]] })
  }
}

export class PathTree<W extends Watcher = Watcher> {
  readonly style: PathStyle
  readonly root: PathNode<W>

  constructor(style: PathStyle) {
    this.style = style
    this.root = new PathNode<W>(this)
  }

  concerned(place: PathNode<W>, indexes: readonly number[]): W[] {
    const leads = place.watching ?? []
    return leads
      .filter((lead) => lead.indexes.every(([position, index]) => indexes[position] === index))
      .map((lead) => lead.watcher)
  }
}

/**
 * Describes how the end of a value is known.
 *
 * - `observed`: its end was read (the closing quote or bracket; after a number or a word the `,`, `]` or `}`), and its
 * own text is JSON: `JSON.parse` of exactly that text gives this value.
 * - `final`: its text is JSON and the whole text ended after it, as with a number that is the whole answer.
 * - `repaired`: something in it was repaired: a truncated end, a trailing comma, a comment, a quote, a raw newline.
 */
export type Completion = 'observed' | 'final' | 'repaired'

/** `items[0].title` or `items/0/title`. All path parameters accept both. */
export type PathStyle = 'dot' | 'slash'

/**
 * A value of an answer started, grew or ended.
 *
 * Lists and objects emit two events: when they open and when they are complete. Strings emit one for each piece of text
 * and one when they are complete. Numbers, booleans and null emit one, complete.
 */
export interface InstantEvent {
  readonly type: 'value'
  /** `''` is the whole answer. Keys that contain `.`, `[`, `/`… are quoted: `files["a.txt"].size`. */
  readonly path: string
  /**
   * The path with every list index as `*`: `items[*].title`, or in slash style `items` `*` `title` joined by slashes.
   */
  readonly wildcardPath: string
  /** List indexes along the path, outermost first. */
  readonly indexes: readonly number[]
  /**
   * The value so far. An incomplete list or object is live and keeps growing; strings are added when complete. Do not
   * modify it.
   */
  readonly value: unknown
  /** Text this event adds to a string; the text of a number, boolean or null; `''` for lists and objects. */
  readonly delta: string
  readonly isComplete: boolean
  /** Set if and only if `isComplete`. */
  readonly completion: Completion | undefined
}

/** Voids all earlier events: a better block of JSON was found, or the attempt was dropped. */
export interface ResetEvent {
  readonly type: 'reset'
  readonly reason: string
  /** The attempt that starts or continues now; the first is 1. */
  readonly attempt: number
}

export interface ReadResult {
  readonly found: boolean
  /** `undefined` if no JSON was found. */
  readonly value: unknown
  readonly completion: Completion | undefined
  /**
   * Set if the value is a guess (no JSON, a truncated end, a missing comma or bracket), as a sentence for the retry.
   * Comments, trailing commas, other quotes and raw newlines are understood and not malformed.
   */
  readonly malformed: string | undefined
  /** Path of a duplicate key. The last value wins, as with `JSON.parse`. */
  readonly repeated?: string
}
