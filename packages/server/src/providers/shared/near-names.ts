/** The few names that look most like the one asked for, best first. */
export function similarNames(name: string, names: Iterable<string>, count = 5): string[] {
  const wanted = pairs(name)
  return [...new Set(names)]
    .map((candidate) => ({ candidate, score: likeness(wanted, pairs(candidate)) }))
    .filter(({ score }) => score > 0.35)
    .toSorted((a, b) => b.score - a.score)
    .slice(0, count)
    .map(({ candidate }) => candidate)
}

function pairs(name: string): Set<string> {
  const plain = ` ${name.toLowerCase().replace(/[^a-z0-9]+/g, '')} `
  return new Set(Array.from({ length: Math.max(0, plain.length - 1) }, (_, index) => plain.slice(index, index + 2)))
}

function likeness(a: Set<string>, b: Set<string>): number {
  return (2 * a.intersection(b).size) / (a.size + b.size)
}
