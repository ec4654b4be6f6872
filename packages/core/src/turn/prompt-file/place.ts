/** Where a value stands in a file: its line, and the places of its entries by key or index. */
export interface SourcePosition {
  line: number
  entries: ReadonlyMap<string, SourcePosition>
}

export const unknownPosition: SourcePosition = { line: 1, entries: new Map() }

export function positionIn(place: SourcePosition, ...keys: (string | number)[]): SourcePosition {
  let found = place
  for (const key of keys) found = found.entries.get(String(key)) ?? { line: found.line, entries: new Map() }
  return found
}
