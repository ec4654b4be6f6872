import { stringify } from 'yaml'
import { toJson } from '../run/to-json.ts'

/** The body of a block: text as it is, anything else as YAML with its keys in the order in which they were given. */
export function renderBody(value: unknown): string {
  if (typeof value === 'string') return value
  return stringify(toJson(value), { lineWidth: 0, aliasDuplicateObjects: false }).trimEnd()
}
