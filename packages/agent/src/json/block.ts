import {
  type Completion,
  type InstantEvent,
  type PathNode,
  type PatternSegment,
  type Segment,
  type Watcher,
  wildcard,
} from './path.ts'

const noIndexes: readonly number[] = []

class OpenContainer<W extends Watcher = Watcher> {
  readonly parent: OpenContainer<W> | undefined
  readonly isList: boolean
  readonly value: unknown[] | Record<string, unknown>
  readonly place: PathNode<W> | undefined
  readonly path: string
  readonly indexes: readonly number[]
  key: Segment
  below: PathNode<W> | undefined
  mended = false
  /** Number of open lists and objects, this one included. */
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

  /** Returns the innermost enclosing list or object. Call it only if one exists. */
  nearest(isList: boolean): OpenContainer<W> | undefined {
    if ((isList ? this.#lists : this.#objects) === 0) return undefined
    let frame = this.parent
    while (frame !== undefined && frame.isList !== isList) frame = frame.parent
    return frame
  }

  /** The node keeps one copy of each key. Objects accept that copy faster than a fresh string. */
  setKey(key: string): void {
    this.below = this.place?.key(key)
    this.key = this.below?.name ?? key
  }

  indexesBelow(): readonly number[] {
    if (!this.isList) return this.indexes
    const index = this.key as number
    // Fast path: a spread costs several times as much.
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

let seen = 0

/**
 * A string built piece by piece stays a rope, many times the size of its text. Reading one character makes the engine
 * flatten it.
 */
function flattenString(text: string): string {
  if (text.length > 64) seen ^= text.charCodeAt(0)
  return text
}

export interface BlockSink<W extends Watcher = Watcher> {
  /** True to emit every event. Otherwise only complete values at watched paths are emitted. */
  readonly all: boolean
  emit(event: InstantEvent, place: PathNode<W>): void
}

/**
 * JSON types of the fields that identify a block as the answer. List items and record values use the wildcard. Empty if
 * any block qualifies.
 */
export type FieldTypes = ReadonlyMap<PatternSegment, ReadonlySet<JsonType>>

/**
 * One span of JSON in a text, with the value it builds. The reader reports tokens; the block stores them and emits
 * events.
 */
export class JsonBlock<W extends Watcher = Watcher> {
  value: unknown
  completion: Completion | undefined
  malformed: string | undefined
  /** Path of a duplicate key. Readers may hold the first value; the last one wins. */
  repeated: string | undefined
  shown = false
  top: OpenContainer<W> | undefined
  /** Completion of the repaired values by list or object. All others were observed. */
  readonly mended = new Map<object, Map<Segment, Completion>>()
  partial: string | undefined
  /** Path of the leaf being read, computed on demand. */
  #path: string | undefined
  #indexes: readonly number[] = noIndexes
  #matches = 0
  #isConfirmed = false
  readonly #sink: BlockSink<W>
  readonly #root: PathNode<W>
  readonly #fields: FieldTypes
  readonly #isAnyField: boolean
  readonly #onProgress: (block: JsonBlock<W>) => void

  /** `onProgress`: called when a hidden block that is certainly JSON grows, since it may now be the best. */
  constructor(root: PathNode<W>, sink: BlockSink<W>, fields: FieldTypes, onProgress: (block: JsonBlock<W>) => void) {
    this.#root = root
    this.#sink = sink
    this.#fields = fields
    this.#onProgress = onProgress
    this.#isAnyField = fields.size === 0
  }

  /** Measures how well it matches the schema so far. On a tie, a block without guesses scores higher. */
  get score(): number {
    return this.#matches * 2 + (this.malformed === undefined ? 1 : 0)
  }

  confirm(): void {
    if (this.#isConfirmed) return
    this.#isConfirmed = true
    this.#onProgress(this)
  }

  /** Records a deviation from JSON syntax with a clear meaning. */
  mend(): true {
    if (this.top !== undefined) this.top.mended = true
    return true
  }

  /** Records broken syntax. Returns false if it may be prose, which is not worth a guess. */
  guess(reason: string): boolean {
    if (!this.#isConfirmed) return false
    const where = this.#where()
    this.malformed ??= where === '' ? `${reason}.` : `${reason} in ${where}.`
    return this.mend()
  }

  open(isList: boolean): void {
    const parent = this.top
    if (this.#isAnyField) this.#matches++
    else this.#match(isList ? 'array' : 'object')
    const frame = new OpenContainer(parent, isList, parent === undefined ? this.#root : parent.below)
    if (parent === undefined) this.value = frame.value
    else parent.put(frame.value)
    this.top = frame
    if (!this.shown) this.#progress()
    else if (this.#sink.all && frame.place !== undefined) {
      this.#emit(frame.place, frame.path, frame.indexes, frame.value, '', undefined)
    }
  }

  key(text: string): void {
    const { top } = this
    if (top === undefined) return
    if (Object.hasOwn(top.value, text)) this.repeated ??= top.path === '' ? text : `${top.path}.${text}`
    top.setKey(text)
  }

  close(): void {
    const frame = this.top as OpenContainer<W>
    this.top = frame.parent
    const completion = frame.mended ? 'repaired' : 'observed'
    this.#ended(completion)
    const { place } = frame
    if (!this.shown) this.#progress()
    else if (place !== undefined && (this.#sink.all || place.watching !== undefined)) {
      this.#emit(place, frame.path, frame.indexes, frame.value, '', completion)
    }
    this.#next()
  }

  /** Adds a number, boolean or null. `text` is its source text. */
  scalar(value: unknown, text: string, completion: Completion): void {
    this.#path = undefined
    if (this.#isAnyField) this.#matches++
    else this.#match(jsonTypeOf(value))
    this.#put(value)
    this.#ended(completion)
    this.#emitLeaf(value, text, completion)
    this.#next()
  }

  beginString(): void {
    this.#path = undefined
    if (this.#isAnyField) this.#matches++
    else this.#match('string')
    this.partial = ''
    if (!this.shown) this.#progress()
  }

  grow(delta: string): void {
    const text = (this.partial as string) + delta
    this.partial = text
    if (this.shown && this.#sink.all) this.#emitLeaf(text, delta, undefined)
  }

  endString(delta: string, completion: Completion): void {
    const text = flattenString((this.partial as string) + delta)
    this.partial = undefined
    this.#put(text)
    this.#ended(completion)
    this.#emitLeaf(text, delta, completion)
    this.#next()
  }

  keepPartial(): void {
    if (this.partial !== undefined) this.#put(this.partial)
  }

  #progress(): void {
    if (this.#isConfirmed) this.#onProgress(this)
  }

  #where(): string {
    const { top } = this
    if (top === undefined) return ''
    return this.partial === undefined ? top.path : (top.below?.path(top.path, top.key) ?? '')
  }

  #put(value: unknown): void {
    if (this.top === undefined) this.value = value
    else this.top.put(value)
  }

  /** Emits a leaf. Its path is built on demand, once for all pieces of a string. */
  #emitLeaf(value: unknown, delta: string, completion: Completion | undefined): void {
    if (!this.shown) return this.#progress()
    const { top } = this
    const place = top === undefined ? this.#root : top.below
    if (place === undefined || (!this.#sink.all && place.watching === undefined)) return
    if (this.#path === undefined) {
      this.#path = top === undefined ? '' : place.path(top.path, top.key)
      this.#indexes = top === undefined ? noIndexes : top.indexesBelow()
    }
    this.#emit(place, this.#path, this.#indexes, value, delta, completion)
  }

  #next(): void {
    const { top } = this
    if (top?.isList) top.key = (top.key as number) + 1
  }

  #ended(completion: Completion): void {
    const { top } = this
    if (top === undefined) {
      this.completion = completion
    } else if (completion === 'repaired') {
      top.mended = true
      const keys = this.mended.get(top.value) ?? new Map<Segment, Completion>()
      this.mended.set(top.value, keys.set(top.key, completion))
    } else if (top.mended) {
      this.mended.get(top.value)?.delete(top.key)
    }
  }

  #match(type: JsonType): void {
    const { top } = this
    if (top === undefined) return
    const isTop = top.parent === undefined
    if (!isTop && (top.isList || top.parent.parent !== undefined || !top.parent.isList)) return
    const types = this.#fields.get(top.key) ?? (isTop ? this.#fields.get(wildcard) : undefined)
    if (types?.has(type)) this.#matches++
  }

  #emit(
    place: PathNode<W>,
    path: string,
    indexes: readonly number[],
    value: unknown,
    delta: string,
    completion: Completion | undefined,
  ): void {
    const { wildcardPath } = place
    const isComplete = completion !== undefined
    this.#sink.emit({ type: 'value', path, wildcardPath, indexes, value, delta, isComplete, completion }, place)
  }
}

export type JsonType = 'object' | 'array' | 'string' | 'number' | 'boolean' | 'null'

export function jsonTypeOf(value: unknown): JsonType {
  if (value === null) return 'null'
  if (Array.isArray(value)) return 'array'
  const type = typeof value
  return type === 'string' || type === 'number' || type === 'boolean' ? type : 'object'
}
