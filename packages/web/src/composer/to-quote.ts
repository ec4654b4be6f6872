/** A text as a quotation in Markdown, with room below for what is said to it. */
export function toQuote(text: string): string {
  const lines = text
    .trim()
    .split(/\r?\n/)
    .map((line) => (line.trim() === '' ? '>' : `> ${line.trimEnd()}`))
  return `${lines.join('\n')}\n\n`
}
