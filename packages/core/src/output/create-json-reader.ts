import type { ReadResult } from './instant-event.ts'
import type { FieldTypes } from './block.ts'
import type { InstantEvent, PathStyle, ResetEvent } from './instant-event.ts'
import { JsonReader } from './json-reader.ts'
import { PathTree } from './places.ts'

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
