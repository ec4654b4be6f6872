import { createHash } from 'node:crypto'

/** The same call asks under the same id again after a restart. */
export function askId(runId: string, toolCallId: string, ordinal: number): string {
  return `ask_${createHash('sha256').update(`${runId}\n${toolCallId}\n${ordinal}`).digest('hex').slice(0, 32)}`
}
