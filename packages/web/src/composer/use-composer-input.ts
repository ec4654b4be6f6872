import type { StoredMessage } from '@troupe/protocol'
import { type ClipboardEvent, type KeyboardEvent, useEffect, useRef, useState } from 'react'
import { useChatActions } from '../chat/hooks/use-chat-actions.ts'
import { useSessionStore } from '../chat/session/session-context.ts'
import { messageText } from '../chat/session/session-state.ts'
import { notice } from '../state/notices.tsx'
import { formatSize } from '../texts/format.ts'
import { t } from '../texts/t.ts'

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

/** What the person has written in this branch, newest first, each text once. */
export function sentTexts(messages: readonly StoredMessage[]): string[] {
  const texts = messages.filter(({ role }) => role === 'user').map((message) => messageText(message))
  return [...new Set(texts.filter((text) => text.trim() !== '').toReversed())]
}

/** A text that is longer would bury what is written around it. */
const longestText = 8000

/** Files and long texts that are pasted become attachments; anything else goes into the field. */
export function usePaste() {
  const { attach, attachText } = useChatActions()
  return (event: ClipboardEvent<HTMLTextAreaElement>): void => {
    const { files } = event.clipboardData
    const text = event.clipboardData.getData('text/plain')
    // Office programs put a picture of the text beside the text: the text is meant.
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

/** Files that are dropped anywhere on the page. True while some are held over it. */
export function useFileDrop(onFiles: (files: Iterable<File>) => unknown): boolean {
  const [isOver, setOver] = useState(false)
  useEffect(() => {
    const onOver = (event: DragEvent) => {
      if (event.dataTransfer?.types.includes('Files') !== true) return
      // Else the browser would leave the page and show the file.
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
