import type { ChatSessionStore } from '../chat/session/session-types.ts'

export interface DraftWriter {
  /** Shows words that may still change. Empty: nothing is being said. */
  preview(text: string): void
  /** Writes words for good. */
  commit(text: string): void
  /** True if this is the draft as it was last written here. */
  wrote(draft: string): boolean
}

/** Writes into a draft at the caret. Once the user edits the draft, continues at its end. */
export function createDraftWriter(
  store: Pick<ChatSessionStore, 'getState' | 'setDraft'>,
  { start, end }: { start: number; end: number },
): DraftWriter {
  const { draft } = store.getState()
  let before = draft.slice(0, start)
  let after = draft.slice(end)
  let written = draft
  /** Begin and end of the words in `written` that may still change. */
  let open = { from: start, to: start }
  let isEdited = false
  /** True while the words being said were changed by the user. They stay as they are. */
  let isTaken = false

  return {
    preview(text) {
      follow()
      if (!isTaken) show(join(before, text))
      else if (text.trim() === '') isTaken = false
    },
    commit(text) {
      follow()
      if (isTaken) return
      before = join(before, text)
      if (isEdited) {
        before += after
        after = ''
        isEdited = false
      }
      show(before)
    },
    wrote: (now) => now === written,
  }

  function show(head: string): void {
    open = { from: before.length, to: head.length }
    written = head + after
    if (written !== store.getState().draft) store.setDraft(written)
  }

  /** Takes over what the user has changed meanwhile. Words beside the change can still be replaced. */
  function follow(): void {
    const { draft: now } = store.getState()
    if (now === written) return
    const change = changedPart(written, now)
    if (open.from === open.to) {
      before = now
      after = ''
    } else if (change.from >= open.to) {
      after = now.slice(open.to)
      isEdited = true
    } else if (change.to <= open.from) {
      before = now.slice(0, open.from + now.length - written.length)
      isEdited = true
    } else {
      before = now
      after = ''
      isTaken = true
    }
    written = now
    open = { from: before.length, to: now.length - after.length }
  }
}

/** The part of a text that another one replaces. */
function changedPart(text: string, other: string): { from: number; to: number } {
  const shorter = Math.min(text.length, other.length)
  let from = 0
  while (from < shorter && text[from] === other[from]) from++
  let same = 0
  while (same < shorter - from && text.at(-1 - same) === other.at(-1 - same)) same++
  return { from, to: text.length - same }
}

const dense = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}]$/u

/** Puts a space between words, but not in scripts that are written without. */
function join(before: string, text: string): string {
  const words = text.trim()
  if (words === '') return before
  return before === '' || /\s$/.test(before) || dense.test(before) ? before + words : `${before} ${words}`
}
