import type { DataParts, dataParts } from '@troupe/core/protocol'

/** The data of a part or chunk if it is the one of this name. */
export function partData<Name extends keyof typeof dataParts>(
  item: { type: string },
  name: Name,
): DataParts[Name] | undefined {
  return item.type === `data-${name}` ? (item as unknown as { data: DataParts[Name] }).data : undefined
}
