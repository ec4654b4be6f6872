/**
 * A line as pieces, every second of which is what the pattern found. Only patterns that are plain words are looked for:
 * a regular expression of a stranger could keep the page busy for ever, and ours are not those of the search.
 */
export function splitMatches(line: string, pattern: string): string[] {
  const word = pattern.replaceAll(/\\([.()[\]{}*+?^$|/\\-])/g, '$1')
  const isPlain = !/[.()[\]{}*+?^$|\\]/.test(pattern.replaceAll(/\\[.()[\]{}*+?^$|/\\-]/g, ''))
  if (!isPlain || word === '' || word.includes('\n')) return [line]
  const pieces = line.split(word)
  return pieces.flatMap((piece, index) => (index === 0 ? [piece] : [word, piece]))
}
