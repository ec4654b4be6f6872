/**
 * The paragraphs of a long text that speak most of what is asked, in their order, up to a length. Words that are rare
 * in the text count more. Empty when no word of the question is in it.
 */
export function relevantParts(text: string, question: string, maxLength: number): string {
  const words = new Set(question.toLowerCase().match(/[\p{L}\p{N}_]{3,}/gu) ?? [])
  const parts = text.split(/\n{2,}/).map((part, index) => ({ part, index, lower: part.toLowerCase() }))
  const weights = new Map<string, number>()
  for (const word of words) {
    const holding = parts.filter(({ lower }) => lower.includes(word)).length
    if (holding > 0) weights.set(word, Math.log(1 + parts.length / holding))
  }
  const scored = parts
    .map((one) => ({ ...one, score: score(one.lower, weights) }))
    .filter((one) => one.score > 0)
    .toSorted((one, other) => other.score - one.score)
  const chosen: typeof scored = []
  let left = maxLength
  for (const one of scored) {
    if (one.part.length > left) continue
    left -= one.part.length + 2
    chosen.push(one)
  }
  return joinParts(chosen.toSorted((one, other) => one.index - other.index))
}

function score(lower: string, weights: ReadonlyMap<string, number>): number {
  let sum = 0
  for (const [word, weight] of weights) if (lower.includes(word)) sum += weight
  return sum
}

/** Gaps are marked. */
function joinParts(parts: readonly { part: string; index: number }[]): string {
  return parts
    .map(({ part, index }, at) => (at > 0 && parts[at - 1]!.index !== index - 1 ? `[…]\n\n${part}` : part))
    .join('\n\n')
}
