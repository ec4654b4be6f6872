import { createHash } from 'node:crypto'

/** The same call of the same run gets the same id again after a restart. */
export function derivedId(prefix: string, ...from: readonly string[]): string {
  return prefix + createHash('sha256').update(from.join('\n')).digest('hex').slice(0, 32)
}
