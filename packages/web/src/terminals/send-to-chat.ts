import type { ChatSessionStore } from '../chat/session/session-types.ts'
import { isNarrowForPanels } from '../state/panels.ts'

const longest = 50_000

/** Quotes output as a code block at the end of the draft, and moves the focus there. */
export function sendToChat({ getState, setDraft, panels }: ChatSessionStore, text: string): void {
  const { draft } = getState()
  const before = draft === '' || draft.endsWith('\n') ? draft : `${draft}\n\n`
  setDraft(`${before}${toCodeBlock(text)}\n\n`)
  // The panels cover the message field.
  if (isNarrowForPanels()) panels.hide()
  // Wait until the quote is in the field.
  requestAnimationFrame(() => {
    const field = document.querySelector<HTMLTextAreaElement>('.composer-box textarea')
    field?.focus()
    field?.setSelectionRange(field.value.length, field.value.length)
  })
}

/** The fence is longer than any in the text, so that the text cannot end it. */
export function toCodeBlock(text: string): string {
  const lines = text
    .slice(0, longest)
    .split(/\r?\n/)
    .map((line) => line.trimEnd())
    .join('\n')
    .replace(/^\n+|\n+$/g, '')
  const longestFence = Math.max(2, ...(lines.match(/`+/g) ?? []).map((fence) => fence.length))
  const fence = '`'.repeat(longestFence + 1)
  return `${fence}text\n${lines}\n${fence}`
}
