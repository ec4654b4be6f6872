/** What a running tool has said so far. Text runs on; anything else is kept as it came. */
export interface Progress {
  text: string
  last: unknown
}

const shownCharacters = 20_000

/** Adds one yield of a tool. Only the end of a long text is kept: it is what a person watches. */
export function addProgress(progress: Progress | undefined, delta: unknown): Progress {
  const before = progress ?? { text: '', last: undefined }
  if (typeof delta === 'string') return { text: (before.text + delta).slice(-shownCharacters), last: before.last }
  return { text: before.text, last: delta }
}
