/** What a running tool has said so far. Text runs on; anything else is kept as it came. */
export interface Progress {
  text: string
  last: unknown
}

const shownCharacters = 20_000

/** Adds one yield of a tool. Only the end of a long text is kept: it is what a person watches. */
export function addProgress(progress: Progress | undefined, delta: unknown): Progress {
  const before = progress ?? { text: '', last: undefined }
  if (typeof delta === 'string') return { text: lastOf(before.text + delta), last: before.last }
  return { text: before.text, last: delta }
}

/** From the beginning of a line on where one is near: a colour sequence that is cut in two would be read as text. */
function lastOf(text: string): string {
  if (text.length <= shownCharacters) return text
  const end = text.slice(-shownCharacters)
  const line = end.indexOf('\n') + 1
  return line > 0 && line < shownCharacters / 2 ? end.slice(line) : end
}
