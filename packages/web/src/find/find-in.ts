/** Case, accents and widths make no difference, as on the server; a line end is a space. */
function fold(character: string): string {
  return character
    .normalize('NFKD')
    .replaceAll(/[\u0300-\u036F]/g, '')
    .toLowerCase()
    .replaceAll(/\s/g, ' ')
}

/** Where a text holds what is looked for, in positions of the text as it is. */
export function findOccurrences(text: string, wanted: string): [from: number, to: number][] {
  const term = Array.from(wanted.trim(), fold).join('')
  if (term === '') return []
  const starts: number[] = []
  let folded = ''
  let at = 0
  for (const character of text) {
    const piece = fold(character)
    for (let i = 0; i < piece.length; i++) starts.push(at)
    folded += piece
    at += character.length
  }
  starts.push(text.length)
  const found: [number, number][] = []
  for (let from = folded.indexOf(term); from !== -1; from = folded.indexOf(term, from + term.length))
    found.push([starts[from] ?? 0, starts[from + term.length] ?? text.length])
  return found
}
