import type { PathStyle } from './instant-event.ts'
import { type PatternSegment, pathSuffix, wildcard } from './path.ts'

/** Someone who wants to know of complete values at the paths that a pattern matches. */
export interface Watcher {
  readonly pattern: readonly PatternSegment[]
}

/** A watcher at a place that its pattern can match, if the list indexes at these positions are right. */
interface WatcherMatch<W extends Watcher> {
  readonly watcher: W
  readonly indexes: readonly (readonly [position: number, index: number])[]
}

/** Deeper values are read like all others; they have no place and so no events of their own. */
const maxDepth = 256

/**
 * All values with one wildcard path: `items[*].title`. Places are made once and shared by all items, blocks and
 * attempts, so that a path is put together once, and whether anyone listens is a look at a field.
 */
export class PathNode<W extends Watcher = Watcher> {
  readonly depth: number
  readonly wildcardPath: string
  /** The key, when the place is below an object. */
  readonly name: string | undefined
  /** The watchers whose pattern ends here; undefined when there are none. */
  watching: WatcherMatch<W>[] | undefined
  readonly #owner: PathTree<W>
  readonly #segment: string | typeof wildcard | undefined
  readonly #suffix: string
  /** How many lists are above. */
  readonly #lists: number
  /** The watchers whose pattern leads further down. */
  #leads: WatcherMatch<W>[] = []
  #keys: Map<string, PathNode<W>> | undefined
  /** The key that was asked for last, and the one that was asked for after this one: objects in a list look alike. */
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

  /** The path of one value here, from that of its holder. */
  path(holder: string, key: string | number): string {
    if (typeof key === 'string') return holder + this.#suffix
    if (this.#owner.style === 'dot') return `${holder}[${key}]`
    return this.depth === 1 ? String(key) : `${holder}/${key}`
  }

  /** Lets a watcher in at the top, where every pattern begins. */
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

  /** Takes over a watcher of the parent if its pattern comes through here. */
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

/** The places of one answer and who watches them. */
export class PathTree<W extends Watcher = Watcher> {
  readonly style: PathStyle
  readonly root: PathNode<W>

  constructor(style: PathStyle) {
    this.style = style
    this.root = new PathNode<W>(this)
  }

  /** The watchers that a complete value at a place concerns. */
  concerned(place: PathNode<W>, indexes: readonly number[]): W[] {
    const leads = place.watching ?? []
    return leads
      .filter((lead) => lead.indexes.every(([position, index]) => indexes[position] === index))
      .map((lead) => lead.watcher)
  }
}
