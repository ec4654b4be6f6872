/** Parses JSON while it streams. Has no dependencies and runs in browsers. */
export { createJsonReader } from './json/json-reader.ts'
export type { IncrementalReader, JsonReaderOptions } from './json/json-reader.ts'
export type {
  Completion,
  InstantEvent,
  PathStyle,
  PatternSegment,
  ReadResult,
  ResetEvent,
  Segment,
} from './json/path.ts'
export { formatPath, parsePath, valuesAt, wildcard } from './json/path.ts'
