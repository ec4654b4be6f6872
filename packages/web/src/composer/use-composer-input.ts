import type { StoredMessage } from '@troupe/protocol'
import { type ClipboardEvent, type KeyboardEvent, useEffect, useRef, useState } from 'react'
import { useChatActions } from '../chat/hooks/use-chat-actions.ts'
import { useSessionStore } from '../chat/session/session-context.ts'
import { messageText } from '../chat/session/session-state.ts'
import { notice } from '../state/notices.tsx'
import { formatSize } from '../texts/format.ts'
import { t } from '../texts/t.ts'

/** Arrow up in an empty field recalls sent messages and arrow down goes back, until the user types. */
export function useInputHistory(draft: string, setDraft: (draft: string) => void) {
  const store = useSessionStore()
  const shown = useRef({ index: -1, text: '' })

  /** Returns true if it handled the key. */
  const onKey = (event: KeyboardEvent<HTMLTextAreaElement>): boolean => {
    if (event.key !== 'ArrowUp' && event.key !== 'ArrowDown') return false
    if (event.shiftKey || event.ctrlKey || event.metaKey || event.altKey) return false
    if (draft !== shown.current.text) shown.current = { index: -1, text: '' }
    if (draft !== shown.current.text) return false
    // In multi-line text, the arrows move the caret first.
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

/** Returns the user's unique messages on this branch, newest first. */
export function sentTexts(messages: readonly StoredMessage[]): string[] {
  const texts = messages.filter(({ role }) => role === 'user').map((message) => messageText(message))
  return [...new Set(texts.filter((text) => text.trim() !== '').toReversed())]
}

/** Longer pasted text becomes an attachment. */
const longestText = 8000

/** Turns pasted files and long texts into attachments. Anything else goes into the field. */
export function usePaste() {
  const { attach, attachText } = useChatActions()
  return (event: ClipboardEvent<HTMLTextAreaElement>): void => {
    const { files } = event.clipboardData
    const text = event.clipboardData.getData('text/plain')
    // Office programs add an image of the copied text. Prefer the text.
    if (files.length > 0 && text === '') {
      event.preventDefault()
      void attach(files)
    } else if (text.length > longestText) {
      event.preventDefault()
      void attachText(text)
      notice(t.composer.pasted(formatSize(new TextEncoder().encode(text).length)))
    }
  }
}

/** Accepts files dropped anywhere on the page. True while files are dragged over it. */
export function useFileDrop(onFiles: (files: Iterable<File>) => unknown): boolean {
  const [isOver, setOver] = useState(false)
  useEffect(() => {
    const onOver = (event: DragEvent) => {
      if (event.dataTransfer?.types.includes('Files') !== true) return
      // Otherwise the browser would navigate to the file.
      event.preventDefault()
      setOver(true)
    }
    const onLeave = (event: DragEvent) => {
      if (event.relatedTarget === null) setOver(false)
    }
    const onDrop = (event: DragEvent) => {
      setOver(false)
      if (event.dataTransfer === null || event.dataTransfer.files.length === 0) return
      event.preventDefault()
      onFiles(event.dataTransfer.files)
    }
    document.addEventListener('dragover', onOver)
    document.addEventListener('dragleave', onLeave)
    document.addEventListener('drop', onDrop)
    return () => {
      document.removeEventListener('dragover', onOver)
      document.removeEventListener('dragleave', onLeave)
      document.removeEventListener('drop', onDrop)
    }
  }, [onFiles])
  return isOver
}
