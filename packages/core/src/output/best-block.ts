import type { ReadResult } from './instant-event.ts'
import type { JsonBlock, BlockSink } from './block.ts'
import type { PatternSegment } from './path.ts'
import type { PathNode, Watcher } from './places.ts'
import { replayBlock } from './tell-block.ts'

export interface ReaderSink<W extends Watcher = Watcher> extends BlockSink<W> {
  /** A better block was found: what was told of the one before no longer counts. */
  reset(reason: string): void
  /** A block comes into view: what it holds already is told in one go. */
  replay(tellAll: () => void): void
}

/** Of the blocks of a text, the one that matches the schema best so far. It is the one that readers see. */
export class BestBlock<W extends Watcher = Watcher> {
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
