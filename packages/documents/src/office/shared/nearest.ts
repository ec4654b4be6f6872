/** The texts most like a wanted one, for an error that helps. */
export function nearest(wanted: string, texts: readonly string[], most = 3): string[] {
  const pairs = pairsOf(wanted)
  return [...new Set(texts)]
    .slice(0, 20_000)
    .map((text) => ({ text, likeness: likeness(pairs, text) }))
    .filter((each) => each.likeness > 0.25)
    .toSorted((a, b) => b.likeness - a.likeness)
    .slice(0, most)
    .map(({ text }) => (text.length > 120 ? `${text.slice(0, 120)}…` : text))
}

/** A sentence about the texts most like a wanted one. Empty if there is none. */
export function nearestNote(wanted: string, texts: readonly string[]): string {
  const found = nearest(wanted, texts)
  return found.length === 0 ? '' : ` Similar: ${found.map((text) => JSON.stringify(text)).join(', ')}.`
}

/** Share of common letter pairs. A long text that contains the wanted one is alike, too. */
function likeness(wanted: ReadonlyMap<string, number>, text: string): number {
  const own = pairsOf(text.slice(0, 2000))
  let [common, total, size] = [0, 0, 0]
  for (const [pair, count] of wanted) {
    common += Math.min(count, own.get(pair) ?? 0)
    total += count
  }
  for (const count of own.values()) size += count
  if (total === 0) return 0
  return (2 * common) / (total + Math.min(size, total * 3))
}

function pairsOf(text: string): Map<string, number> {
  const pairs = new Map<string, number>()
  const plain = text.toLowerCase().replace(/\s+/g, ' ')
  for (let i = 0; i + 1 < plain.length; i++) {
    const pair = plain.slice(i, i + 2)
    pairs.set(pair, (pairs.get(pair) ?? 0) + 1)
  }
  return pairs
}
