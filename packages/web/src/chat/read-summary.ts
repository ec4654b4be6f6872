const summaryBlock = /<conversation-summary>\n?([\s\S]*?)\n?<\/conversation-summary>\s*([\s\S]*)$/

/** What a summary says in its own words, and what it keeps word for word. */
export function readSummary(summary: string): { told: string; kept: string } {
  const found = summaryBlock.exec(summary)
  if (found === null) return { told: summary.trim(), kept: '' }
  const [, told = '', kept = ''] = found
  return { told: told.replaceAll('&lt;/conversation-summary', '</conversation-summary').trim(), kept: kept.trim() }
}
