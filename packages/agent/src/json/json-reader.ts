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
 * Tells what a block holds so far to someone who comes late, in the order of the document, each value once with all its
 * text. With a pattern: only the complete values that it matches. The depth of places bounds the recursion.
 */
function replayBlock<W extends Watcher>(
  block: JsonBlock<W>,
  root: PathNode<W>,
  tell: BlockSink<W>['tell'],
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
  /** A better block was found: what was told of the one before no longer counts. */
  reset(reason: string): void
  /** A block comes into view: what it holds already is told in one go. */
  replay(tellAll: () => void): void
}

/** Of the blocks of a text, the one that matches the schema best so far. It is the one that readers see. */
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

  /** Shows a block if it is the first, or a better match than the one that is shown; of equals the first stays. */
  consider(block: JsonBlock<W>): void {
    const best = this.#shown
    if (best !== undefined) {
      if (block.score <= best.score) return
      best.shown = false
      this.#sink.reset('a later part of the answer matches the schema better')
    }
    this.#shown = block
    block.shown = true
    this.#sink.replay(() => this.tell((event, place) => this.#sink.tell(event, place)))
  }

  /** Tells a latecomer what readers have seen so far; with a pattern, only the complete values that it matches. */
  tell(tell: BlockSink<W>['tell'], pattern?: readonly PatternSegment[]): void {
    if (this.#shown !== undefined) replayBlock(this.#shown, this.#root, tell, pattern)
  }

  result(): ReadResult | undefined {
    if (this.#shown === undefined) return undefined
    const { value, completion, malformed, repeated } = this.#shown
    return { found: true, value, completion, malformed, ...(repeated !== undefined && { repeated }) }
  }
}

const quote = 0x22
const tick = 0x60
const newline = 0x0a

/** Looks for the place in a text where JSON may begin. */
class JsonStartFinder {
  readonly #kinds: ReadonlySet<'object' | 'list' | 'scalar'>
  /** Only space since the start of the text or of a fenced part: here the answer may be a mere scalar. */
  #isFresh = true
  #isFenceLine = false
  #tickCount = 0

  constructor(kinds: ReadonlySet<'object' | 'list' | 'scalar'>) {
    this.#kinds = kinds
  }

  /** The place of the first character that may begin an answer of a kind that is looked for, or the end. */
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
  /** What the answer may be as a whole: other brackets are prose. */
  readonly kinds: ReadonlySet<'object' | 'list' | 'scalar'>
  readonly fields: FieldTypes
}

const openList = 0x5b
const openObject = 0x7b

/**
 * Finds JSON in a text that arrives in pieces and reads it as it comes: one pass, every character once, however the
 * text is cut into pieces. Never throws, never recurses.
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

  /** The best value so far, live. */
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

  /** The text is over: whatever is open ends here. */
  end(): ReadResult {
    this.#blocks.cut()
    const malformed = `There is no JSON ${[...this.#options.kinds].join(' or ')} in the answer.`
    return this.#best.result() ?? { found: false, value: undefined, completion: undefined, malformed }
  }

  /** Tells a latecomer what readers have seen so far; with a pattern, only the complete values that it matches. */
  tell(tell: BlockSink<W>['tell'], pattern?: readonly PatternSegment[]): void {
    this.#best.tell(tell, pattern)
  }

  #readProse(chunk: string, from: number): number {
    const at = this.#prose.find(chunk, from)
    if (at === chunk.length) return at
    const code = chunk.charCodeAt(at)
    // After the answer, what looks like a mere scalar is prose.
    if (code !== openList && code !== openObject && this.#best.isFound) return at + 1
    const { root, sink, fields } = this.#options
    const block = new JsonBlock(root, sink, fields, this.#onProgress)
    return this.#blocks.begin(block, code) ? at + 1 : at
  }
}

export interface JsonReaderOptions {
  /** Tells which of several blocks is the answer, and what kind it is. */
  readonly schema?:
    | { readonly kinds: ReadonlySet<'object' | 'list' | 'scalar'>; readonly fields: FieldTypes }
    | undefined
  readonly pathStyle?: PathStyle
  readonly onEvent?: (event: InstantEvent | ResetEvent) => void
}

/** Reads JSON out of a text while the text is still being written. */
export interface IncrementalReader {
  /** The answer so far, live: never change it. */
  readonly value: unknown
  /** Takes any piece of text, and never throws on its account. */
  write(delta: string): void
  end(): ReadResult
}

const everyKind = new Set(['object', 'list', 'scalar'] as const)

export function createJsonReader({ schema, pathStyle = 'dot', onEvent }: JsonReaderOptions = {}): IncrementalReader {
  return new JsonReader({
    root: new PathTree(pathStyle).root,
    sink: {
      all: onEvent !== undefined,
      tell: onEvent ?? (() => undefined),
      replay: (tellAll) => tellAll(),
      reset: (reason) => onEvent?.({ type: 'reset', reason, attempt: 1 }),
    },
    kinds: schema?.kinds ?? everyKind,
    fields: schema?.fields ?? new Map(),
  })
}
