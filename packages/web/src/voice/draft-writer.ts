import type { ChatSessionStore } from '../chat/session/session-types.ts'

export interface DraftWriter {
  /** Shows words that may still change. */
  preview(text: string): void
  /** Writes words for good. */
  commit(text: string): void
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

  return {
    preview(text) {
      follow()
      show(join(before, text))
    },
    commit(text) {
      follow()
      before = join(before, text)
      show(before)
    },
  }

  function show(head: string): void {
    written = head + after
    if (written !== store.getState().draft) store.setDraft(written)
  }

  function follow(): void {
    const { draft: now } = store.getState()
    if (now === written) return
    before = now
    after = ''
    written = now
  }
}

const dense = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}]$/u

/** Puts a space between words, but not in scripts that are written without. */
function join(before: string, text: string): string {
  const words = text.trim()
  if (words === '') return before
  return before === '' || /\s$/.test(before) || dense.test(before) ? before + words : `${before} ${words}`
}
