import { useRef } from 'react'
import type { KeyboardEvent } from 'react'
import { useSessionStore } from '../chat/session-context.ts'
import { sentTexts } from './own-texts.ts'

/** Arrow up in an empty field brings back what was written, arrow down goes the other way, until something is typed. */
export function useInputHistory(draft: string, setDraft: (draft: string) => void) {
  const store = useSessionStore()
  const shown = useRef({ index: -1, text: '' })

  /** True when the key was for it. */
  const onKey = (event: KeyboardEvent<HTMLTextAreaElement>): boolean => {
    if (event.key !== 'ArrowUp' && event.key !== 'ArrowDown') return false
    if (event.shiftKey || event.ctrlKey || event.metaKey || event.altKey) return false
    if (draft !== shown.current.text) shown.current = { index: -1, text: '' }
    if (draft !== shown.current.text) return false
    // In a text of several lines the arrows move the caret first.
    const { selectionStart, selectionEnd, value } = event.currentTarget
    const isAtEdge =
      event.key === 'ArrowUp' ? selectionEnd === 0 || !value.includes('\n') : selectionStart === value.length
    if (!isAtEdge) return false
    const texts = sentTexts(store.getState().messages)
    const index = shown.current.index + (event.key === 'ArrowUp' ? 1 : -1)
    if (index < -1 || index >= texts.length) return false
    const text = texts[index] ?? ''
    shown.current = { index, text }
    event.preventDefault()
    setDraft(text)
    return true
  }
  return { onKey }
}
