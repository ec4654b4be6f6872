import type { Segment } from './path.ts'
import type { PathNode, Watcher } from './places.ts'

export const noIndexes: readonly number[] = []

/** A list or object that is still open. */
export class OpenContainer<W extends Watcher = Watcher> {
  readonly parent: OpenContainer<W> | undefined
  readonly isList: boolean
  readonly value: unknown[] | Record<string, unknown>
  readonly place: PathNode<W> | undefined
  readonly path: string
  readonly indexes: readonly number[]
  /** Where the value that is being read belongs. */
  key: Segment
  below: PathNode<W> | undefined
  /** Whether anything in it had to be mended so far. */
  mended = false
  /** How many lists and how many objects are open, this one included. */
  readonly #lists: number
  readonly #objects: number

  constructor(parent: OpenContainer<W> | undefined, isList: boolean, place: PathNode<W> | undefined) {
    this.parent = parent
    this.isList = isList
    this.value = isList ? [] : {}
    this.place = place
    this.path = parent === undefined || place === undefined ? '' : place.path(parent.path, parent.key)
    this.indexes = parent === undefined || place === undefined ? noIndexes : parent.indexesBelow()
    this.key = isList ? 0 : ''
    this.below = isList ? place?.item() : undefined
    this.#lists = (parent === undefined ? 0 : parent.#lists) + (isList ? 1 : 0)
    this.#objects = (parent === undefined ? 0 : parent.#objects) + (isList ? 0 : 1)
  }

  /** The innermost list or object around this one; looked for only when there is one. */
  nearest(isList: boolean): OpenContainer<W> | undefined {
    if ((isList ? this.#lists : this.#objects) === 0) return undefined
    let frame = this.parent
    while (frame !== undefined && frame.isList !== isList) frame = frame.parent
    return frame
  }

  /** The place keeps one copy of each key: objects take that one faster than a fresh string. */
  setKey(key: string): void {
    this.below = this.place?.key(key)
    this.key = this.below?.name ?? key
  }

  indexesBelow(): readonly number[] {
    if (!this.isList) return this.indexes
    const index = this.key as number
    // The two common cases by hand: a spread costs several times as much.
    if (this.indexes.length === 0) return [index]
    return this.indexes.length === 1 ? [this.indexes[0] as number, index] : [...this.indexes, index]
  }

  put(value: unknown): void {
    const { key } = this
    if (typeof key === 'number') {
      ;(this.value as unknown[])[key] = value
    } else if (key === '__proto__') {
      Object.defineProperty(this.value, key, { value, enumerable: true, configurable: true, writable: true })
    } else {
      ;(this.value as Record<string, unknown>)[key] = value
    }
  }
}
