import type { DataParts, StoredMessage } from '@troupe/protocol'
import { partData } from '../session/message-parts.ts'

type Compaction = DataParts['compaction']

/**
 * `on`: the model sees this summary. `replaced`: a later summary covers it. `off`: undone, and can be redone. `past`:
 * undone, and a later summary applies.
 */
export type CompactionState = 'on' | 'off' | 'replaced' | 'past'

/** Returns the compaction's state in its branch. The newest enabled compaction applies. */
export function compactionState(
  compaction: Compaction,
  branch: readonly Pick<StoredMessage, 'parts'>[],
): CompactionState {
  const isOff = compaction.off === true
  const later = laterThan(compaction.id, branch)
  if (later.some(({ off }) => off !== true)) return isOff ? 'past' : 'replaced'
  return isOff ? 'off' : 'on'
}

function laterThan(id: string, branch: readonly Pick<StoredMessage, 'parts'>[]): Compaction[] {
  const later: Compaction[] = []
  for (const { parts } of branch.toReversed()) {
    for (const part of parts.toReversed()) {
      const compaction = partData(part, 'compaction')
      if (compaction?.id === id) return later
      if (compaction !== undefined) later.push(compaction)
    }
  }
  return later
}

const summaryBlock = /<conversation-summary>\n?([\s\S]*?)\n?<\/conversation-summary>\s*([\s\S]*)$/

/** Splits a summary into the model's own words and the verbatim part. */
export function readSummary(summary: string): { summarized: string; kept: string } {
  const found = summaryBlock.exec(summary)
  if (found === null) return { summarized: summary.trim(), kept: '' }
  const [, summarized = '', kept = ''] = found
  return {
    summarized: summarized.replaceAll('&lt;/conversation-summary', '</conversation-summary').trim(),
    kept: kept.trim(),
  }
}
