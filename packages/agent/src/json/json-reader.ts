import { BlockReader } from './block-reader.ts'
import { type BlockSink, type FieldTypes, JsonBlock } from './block.ts'
import { isJsonSpace, isOtherSpace, isWordEnd } from './lexer.ts'
import {
  childrenAt,
  type Completion,
  type InstantEvent,
  type PathNode,
  type PathStyle,
  PathTree,
  type PatternSegment,
  type ReadResult,
  type ResetEvent,
  type Watcher,
  wildcard,
} from './path.ts'

/**
 * Replays a block for a late reader in document order, each value once with its full text. With a pattern, only the
 * complete values it matches. The path depth limits the recursion.
 */
function replayBlock<W extends Watcher>(
  block: JsonBlock<W>,
  root: PathNode<W>,
  tell: BlockSink<W>['emit'],
  pattern?: readonly PatternSegment[],
): void {
  if (block.completion === undefined && block.top === undefined && block.partial === undefined) return
  block.keepPartial()
  const open = openContainers(block)

  const visit = (
    value: unknown,
    place: PathNode<W>,
    path: string,
    indexes: readonly number[],
    ending: Completion | undefined,
  ): void => {
    const { wildcardPath } = place
    const isHolder = typeof value === 'object' && value !== null
    const completion = open.has(value) ? undefined : ending
    const say = (how: Completion | undefined): void => {
      const delta = isHolder ? '' : String(value as string | number | boolean | null)
      const isComplete = how !== undefined
      tell({ type: 'value', path, wildcardPath, indexes, value, delta, isComplete, completion: how }, place)
    }
    if (pattern === undefined && (isHolder || completion === undefined)) say(undefined)
    if (pattern === undefined || pattern.length > place.depth) {
      const mended = block.mended.get(value as object)
      for (const [key, child] of childrenAt(value, pattern?.[place.depth] ?? wildcard)) {
        const below = typeof key === 'number' ? place.item() : place.key(key)
        if (below === undefined) continue
        const isPartial = block.partial !== undefined && block.top?.value === value && block.top?.key === key
        const childIndexes = typeof key === 'number' ? [...indexes, key] : indexes
        const childEnding = isPartial ? undefined : (mended?.get(key) ?? 'observed')
        visit(child, below, below.path(path, key), childIndexes, childEnding)
      }
    }
    if (completion !== undefined && (pattern === undefined || pattern.length === place.depth)) say(completion)
  }

  visit(block.value, root, '', [], block.completion)
}

function openContainers<W extends Watcher>(block: JsonBlock<W>): Set<unknown> {
  const open = new Set<unknown>()
  for (let frame = block.top; frame !== undefined; frame = frame.parent) open.add(frame.value)
  return open
}

interface ReaderSink<W extends Watcher = Watcher> extends BlockSink<W> {
  /** A better block was found: events of the previous one are void. */
  reset(reason: string): void
  /** A block becomes visible: its contents are emitted at once. */
  replay(tellAll: () => void): void
}

/** The block of a text that matches the schema best so far. Readers see this one. */
class BestBlock<W extends Watcher = Watcher> {
  readonly #root: PathNode<W>
  readonly #sink: ReaderSink<W>
  #shown: JsonBlock<W> | undefined

  constructor(root: PathNode<W>, sink: ReaderSink<W>) {
    this.#root = root
    this.#sink = sink
  }

  get isFound(): boolean {
    return this.#shown !== undefined
  }

  get value(): unknown {
    this.#shown?.keepPartial()
    return this.#shown?.value
  }

  /** Shows a block if it is the first or a better match than the current one. On a tie the first stays. */
  consider(block: JsonBlock<W>): void {
    const best = this.#shown
    if (best !== undefined) {
      if (block.score <= best.score) return
      best.shown = false
      this.#sink.reset('a later part of the answer matches the schema better')
    }
    this.#shown = block
    block.shown = true
    this.#sink.replay(() => this.tell((event, place) => this.#sink.emit(event, place)))
  }

  /** Replays past events for a late reader. With a pattern, only the complete values it matches. */
  tell(tell: BlockSink<W>['emit'], pattern?: readonly PatternSegment[]): void {
    if (this.#shown !== undefined) replayBlock(this.#shown, this.#root, tell, pattern)
  }

  result(): ReadResult | undefined {
    if (this.#shown === undefined) return undefined
    const { value, completion, malformed, repeated } = this.#shown
    return { found: true, value, completion, malformed, repeated }
  }
}

const quote = 0x22
const tick = 0x60
const newline = 0x0a

class JsonStartFinder {
  readonly #kinds: ReadonlySet<'object' | 'list' | 'scalar'>
  /** Only whitespace since the start of the text or fence, so the answer may be a scalar. */
  #isFresh = true
  #isFenceLine = false
  #tickCount = 0

  constructor(kinds: ReadonlySet<'object' | 'list' | 'scalar'>) {
    this.#kinds = kinds
  }

  /** Returns the position of the first character that may start an expected kind of answer, or the end. */
  find(chunk: string, from: number): number {
    for (let at = from; at < chunk.length; at++) {
      const code = chunk.charCodeAt(at)
      const isFresh = this.#isFresh
      this.#isFresh &&= isJsonSpace(code) || isOtherSpace(code)
      if (this.#isStart(code, isFresh && !this.#isFresh)) {
        this.#tickCount = 0
        return at
      }
      this.#tickCount = code === tick ? this.#tickCount + 1 : 0
      if (this.#tickCount === 3) this.#isFenceLine = true
      if (code !== newline || !this.#isFenceLine) continue
      this.#isFenceLine = false
      this.#isFresh = true
    }
    return chunk.length
  }

  #isStart(code: number, isFirst: boolean): boolean {
    if (code === openObject) return this.#kinds.has('object')
    if (code === openList) return this.#kinds.has('list')
    return isFirst && this.#kinds.has('scalar') && (code === quote || !isWordEnd(code))
  }
}

interface ReaderOptions<W extends Watcher = Watcher> {
  readonly root: PathNode<W>
  readonly sink: ReaderSink<W>
  /** Allowed kinds of the root value. Other brackets are prose. */
  readonly kinds: ReadonlySet<'object' | 'list' | 'scalar'>
  readonly fields: FieldTypes
}

const openList = 0x5b
const openObject = 0x7b

/**
 * Finds and parses JSON in a streamed text. One pass, each character once, however the text is split. Never throws,
 * never recurses.
 */
export class JsonReader<W extends Watcher = Watcher> {
  readonly #options: ReaderOptions<W>
  readonly #best: BestBlock<W>
  readonly #onProgress: (block: JsonBlock<W>) => void
  readonly #prose: JsonStartFinder
  readonly #blocks = new BlockReader<W>()

  constructor(options: ReaderOptions<W>) {
    const { root, sink, kinds } = options
    this.#options = options
    this.#best = new BestBlock(root, sink)
    this.#onProgress = (block) => this.#best.consider(block)
    this.#prose = new JsonStartFinder(kinds)
  }

  /** The best value so far. It is live and keeps growing. */
  get value(): unknown {
    return this.#best.value
  }

  write(chunk: string): void {
    let at = 0
    while (at < chunk.length) {
      at = this.#blocks.read(chunk, at)
      if (at < chunk.length) at = this.#readProse(chunk, at)
    }
  }

  end(): ReadResult {
    this.#blocks.cut()
    const malformed = `There is no JSON ${[...this.#options.kinds].join(' or ')} in the answer.`
    return this.#best.result() ?? { found: false, value: undefined, completion: undefined, malformed }
  }

  /** Replays past events for a late reader. With a pattern, only the complete values it matches. */
  tell(tell: BlockSink<W>['emit'], pattern?: readonly PatternSegment[]): void {
    this.#best.tell(tell, pattern)
  }

  #readProse(chunk: string, from: number): number {
    const at = this.#prose.find(chunk, from)
    if (at === chunk.length) return at
    const code = chunk.charCodeAt(at)
    // After the answer, anything that looks like a scalar is prose.
    if (code !== openList && code !== openObject && this.#best.isFound) return at + 1
    const { root, sink, fields } = this.#options
    const block = new JsonBlock(root, sink, fields, this.#onProgress)
    return this.#blocks.begin(block, code) ? at + 1 : at
  }
}

export interface JsonReaderOptions {
  readonly schema?:
    | { readonly kinds: ReadonlySet<'object' | 'list' | 'scalar'>; readonly fields: FieldTypes }
    | undefined
  readonly pathStyle?: PathStyle
  readonly onEvent?: (event: InstantEvent | ResetEvent) => void
}

export interface IncrementalReader {
  /** The live answer so far. Do not modify it. */
  readonly value: unknown
  /** Accepts any text and never throws because of it. */
  write(delta: string): void
  end(): ReadResult
}

const everyKind = new Set(['object', 'list', 'scalar'] as const)

export function createJsonReader({ schema, pathStyle = 'dot', onEvent }: JsonReaderOptions = {}): IncrementalReader {
  return new JsonReader({
    root: new PathTree(pathStyle).root,
    sink: {
      all: onEvent !== undefined,
      emit: onEvent ?? (() => undefined),
      replay: (tellAll) => tellAll(),
      reset: (reason) => onEvent?.({ type: 'reset', reason, attempt: 1 }),
    },
    kinds: schema?.kinds ?? everyKind,
    fields: schema?.fields ?? new Map(),
  })
}
