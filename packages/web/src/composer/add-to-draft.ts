import type { ChatSessionStore } from '../chat/session/session-types.ts'

/** Appends text to the draft, on its own lines, and puts the cursor behind it. */
export function addToDraft(
  { getState, setDraft }: Pick<ChatSessionStore, 'getState' | 'setDraft'>,
  text: string,
): void {
  const { draft } = getState()
  setDraft(`${draft === '' || draft.endsWith('\n') ? draft : `${draft}\n\n`}${text}`)
  const field = document.querySelector<HTMLTextAreaElement>('.composer-box textarea')
  // Wait until the text is in the field.
  requestAnimationFrame(() => {
    field?.focus()
    field?.setSelectionRange(field.value.length, field.value.length)
  })
}
