/** A snippet in pieces; what matched stands between U+E000 and U+E001. */
export function splitSnippet(snippet: string): { text: string; match: boolean }[] {
  return snippet
    .split(/(\uE000[^\uE001]*\uE001?)/)
    .filter((piece) => piece !== '')
    .map((piece) => ({ text: piece.replaceAll(/[\uE000\uE001]/g, ''), match: piece.startsWith('\uE000') }))
}
