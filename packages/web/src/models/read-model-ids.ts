/** The ids in a text that somebody typed: by lines, commas or blanks, each once. */
export function readModelIds(text: string): string[] {
  return [...new Set(text.split(/[\s,]+/).filter((id) => id !== ''))]
}
