import type { ReadResult } from './instant-event.ts'
import { BestBlock, type ReaderSink } from './best-block.ts'
import { BlockReader } from './block-reader.ts'
import { JsonBlock, type BlockSink, type FieldTypes } from './block.ts'
import type { PatternSegment } from './path.ts'
import type { PathNode, Watcher } from './places.ts'
import { JsonStartFinder } from './prose-reader.ts'

export interface ReaderOptions<W extends Watcher = Watcher> {
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
