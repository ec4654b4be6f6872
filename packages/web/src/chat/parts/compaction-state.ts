import type { DataParts, StoredMessage } from '@troupe/protocol'
import { partData } from '../session/message-parts.ts'

type Compaction = DataParts['compaction']

/**
 * `on`: the model is told this summary. `replaced`: a later one stands for the same and more. `off`: it was undone and
 * can be redone. `past`: it was undone, and a later one counts.
 */
export type CompactionState = 'on' | 'off' | 'replaced' | 'past'

/** What a compaction means in its branch: the newest that is not switched off counts. */
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

/** What a summary says in its own words, and what it keeps word for word. */
export function readSummary(summary: string): { told: string; kept: string } {
  const found = summaryBlock.exec(summary)
  if (found === null) return { told: summary.trim(), kept: '' }
  const [, told = '', kept = ''] = found
  return { told: told.replaceAll('&lt;/conversation-summary', '</conversation-summary').trim(), kept: kept.trim() }
}
