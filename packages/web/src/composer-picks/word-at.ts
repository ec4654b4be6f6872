/** A word that can be completed, and where it stands in the text. */
export interface TriggerWord {
  /** With its `/` or `@`. */
  text: string
  from: number
  to: number
  /** Nothing stands before it: only there is a command one. */
  first: boolean
}

/** The word that ends at the caret, where it begins with `/` or `@`. */
export function triggerWordAt(text: string, caret: number): TriggerWord | undefined {
  const before = text.slice(0, caret)
  const match = /(?:^|[\s([{"'])([/@]|@"[^"\n]*|[/@][^\s@"][^\s"]*)$/u.exec(before)
  const word = match?.[1]
  if (word === undefined || (caret < text.length && /\S/.test(text[caret] ?? ''))) return undefined
  const from = caret - word.length
  return { text: word, from, to: caret, first: before.slice(0, from).trim() === '' }
}
