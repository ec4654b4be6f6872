/** Where a value stands in a file: its line, and the places of its entries by key or index. */
export interface Place {
  line: number
  entries: ReadonlyMap<string, Place>
}

export const nowhere: Place = { line: 1, entries: new Map() }

export function placeIn(place: Place, ...keys: (string | number)[]): Place {
  let found = place
  for (const key of keys) found = found.entries.get(String(key)) ?? { line: found.line, entries: new Map() }
  return found
}
