/** What a running tool has said so far. Text runs on; anything else is kept as it came. */
export interface Progress {
  text: string
  last: unknown
  /** Of a picture or a film that is being made. */
  media?: MediaProgress
}

export interface MediaProgress {
  model?: string | undefined
  elapsedMs?: number | undefined
  /** From 0 to 1, where whoever makes it says so. */
  progress?: number | undefined
}

const shownCharacters = 20_000
const noProgress: Progress = { text: '', last: undefined }

/** Adds one yield of a tool. Only the end of a long text is kept: it is what a person watches. */
export function addProgress(progress: Progress | undefined, delta: unknown): Progress {
  const before = progress ?? noProgress
  if (typeof delta === 'string') return { ...before, text: lastOf(before.text + delta) }
  return { ...before, last: delta }
}

export function addMediaProgress(progress: Progress | undefined, news: MediaProgress): Progress {
  const { model = progress?.media?.model, elapsedMs, progress: part } = news
  return { ...(progress ?? noProgress), media: { model, elapsedMs, progress: part } }
}

/** From the beginning of a line on where one is near: a colour sequence that is cut in two would be read as text. */
function lastOf(text: string): string {
  if (text.length <= shownCharacters) return text
  const end = text.slice(-shownCharacters)
  const line = end.indexOf('\n') + 1
  return line > 0 && line < shownCharacters / 2 ? end.slice(line) : end
}
