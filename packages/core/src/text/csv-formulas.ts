/** Puts an apostrophe before cells that a spreadsheet would take for a formula. Negative numbers stay. */
export function escapeCsvFormulas(csv: string): { text: string; count: number } {
  let [text, count, copied] = ['', 0, 0]
  let [isQuoted, isStart] = [false, true]
  for (let at = 0; at < csv.length; at++) {
    const character = csv[at]!
    if (isStart) {
      const first = character === '"' ? at + 1 : at
      const head = csv.slice(first, first + 2)
      if (/^[=@\t]|^[+-](?![\d.,]|$)/.test(head)) {
        text += `${csv.slice(copied, first)}'`
        copied = first
        count++
      }
    }
    if (character === '"') isQuoted = !isQuoted
    isStart = !isQuoted && (character === ',' || character === '\n')
  }
  return { text: text + csv.slice(copied), count }
}
