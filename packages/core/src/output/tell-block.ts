import type { JsonBlock, BlockSink } from './block.ts'
import type { Completion } from './instant-event.ts'
import { childrenAt, type PatternSegment, wildcard } from './path.ts'
import type { PathNode, Watcher } from './places.ts'

/**
 * Tells what a block holds so far to someone who comes late, in the order of the document, each value once with all its
 * text. With a pattern: only the complete values that it matches. The depth of places bounds the recursion.
 */
export function replayBlock<W extends Watcher>(
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
