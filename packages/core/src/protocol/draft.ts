/** A part as a plain record: the union of all part types has no common shape that could be written to. */
export type PartRecord = Record<string, unknown> & { type: string }

/** The part without some of its keys; the same object where it has none of them. */
export function withoutKeys(part: PartRecord, ...keys: string[]): PartRecord {
  if (!keys.some((key) => key in part)) return part
  const copy = { ...part }
  for (const key of keys) delete copy[key]
  return copy
}
