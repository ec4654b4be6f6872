/** Removes Markdown syntax, for speech and plain-text labels. Also works on fragments. */
export function stripMarkdown(text: string): string {
  return (
    text
      .replaceAll(/^[ \t]*(?:```|~~~)[^\n]*$/gm, '')
      .replaceAll(/^[ \t]*\|?[ \t]*:?-{3,}:?[ \t]*(?:\|[ \t]*:?-{3,}:?[ \t]*)*\|?[ \t]*$/gm, '')
      // Footnotes: the note stays, its number goes.
      .replaceAll(/^[ \t]*\[\^[^\]\s]+\]:[ \t]*|\[\^[^\]\s]+\]/gm, '')
      .replaceAll(/!?\[([^\]\n]*)\]\([^)\n]*\)/g, '$1')
      .replaceAll(/^[ \t]*(?:#{1,6}[ \t]+|>[ \t]?|[-*+][ \t]+(?:\[[ xX]\][ \t]+)?)/gm, '')
      .replaceAll(/\*\*|__|~~|`+/g, '')
      .replaceAll(/(?<![\p{L}\p{N}*])\*(?=\S)|(?<=\S)\*(?![\p{L}\p{N}*])/gu, '')
      .replaceAll(/^[ \t]*\|.*$/gm, (row) =>
        row
          .split('|')
          .map((cell) => cell.trim())
          .join(' ')
          .trim(),
      )
      .replaceAll(/\n{2,}/g, '\n')
      .trim()
  )
}
