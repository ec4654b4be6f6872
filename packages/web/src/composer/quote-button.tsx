import { Quote } from 'lucide-react'
import { useEffect, useRef, useState } from 'react'
import { useSessionStore } from '../chat/session/session-context.ts'
import type { ChatSessionStore } from '../chat/session/session-types.ts'
import { isPressed, keyText } from '../platform/keyboard.ts'
import { t } from '../texts/t.ts'
import { addToDraft } from './add-to-draft.ts'
import './quote-button.css'

interface QuoteSelection {
  text: string
  /** End of the selection in viewport coordinates. */
  x: number
  y: number
}

const settledMs = 300

export function QuoteButton() {
  const store = useSessionStore()
  const [chosen, setChosen] = useState<QuoteSelection | null>(null)
  const button = useRef<HTMLButtonElement>(null)
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined
    // Wait until the selection is complete, or the button would move under the pointer.
    const onChange = () => {
      clearTimeout(timer)
      timer = setTimeout(() => setChosen(selectedText()), settledMs)
    }
    const onMove = (event: Event) => {
      if (!(event.target instanceof Node && button.current?.contains(event.target))) setChosen(null)
    }
    const onKey = (event: KeyboardEvent) => {
      const words = isPressed('Alt+Q', event) ? selectedText() : null
      if (words === null || document.querySelector('dialog:modal') !== null) return
      event.preventDefault()
      quote(store, words)
      setChosen(null)
    }
    document.addEventListener('selectionchange', onChange)
    document.addEventListener('pointerdown', onMove)
    document.addEventListener('scroll', onMove, true)
    document.addEventListener('keydown', onKey)
    return () => {
      clearTimeout(timer)
      document.removeEventListener('selectionchange', onChange)
      document.removeEventListener('pointerdown', onMove)
      document.removeEventListener('scroll', onMove, true)
      document.removeEventListener('keydown', onKey)
    }
  }, [store])
  if (chosen === null) return null
  return (
    <button
      ref={button}
      type="button"
      className="quote-button"
      aria-keyshortcuts="Alt+Q"
      title={keyText('Alt+Q')}
      style={{ left: chosen.x, top: chosen.y }}
      onClick={() => {
        quote(store, chosen)
        setChosen(null)
      }}
    >
      <Quote aria-hidden />
      {t.composer.quote}
    </button>
  )
}

function quote(store: ChatSessionStore, { text }: QuoteSelection): void {
  window.getSelection()?.removeAllRanges()
  addToDraft(store, toQuote(text))
}

const longest = 20_000

/** Returns the selection if it is within one answer. */
function selectedText(): QuoteSelection | null {
  const selection = window.getSelection()
  if (selection === null || selection.isCollapsed || selection.rangeCount === 0) return null
  const text = selection.toString()
  const range = selection.getRangeAt(0)
  const within = range.commonAncestorContainer
  const element = within instanceof Element ? within : within.parentElement
  if (text.trim() === '' || text.length > longest || element?.closest('.prose') == null) return null
  const { right, bottom } = range.getBoundingClientRect()
  return { text, x: Math.min(right, window.innerWidth - 110), y: Math.min(bottom + 6, window.innerHeight - 44) }
}

/** Formats text as a Markdown quote, with room below for a reply. */
export function toQuote(text: string): string {
  const lines = text
    .trim()
    .split(/\r?\n/)
    .map((line) => (line.trim() === '' ? '>' : `> ${line.trimEnd()}`))
  return `${lines.join('\n')}\n\n`
}
