import { ChevronDown, ChevronUp, X } from 'lucide-react'
import { type RefObject, useEffect, useRef, useState } from 'react'
import { t } from '../texts/t.ts'
import { IconButton } from '../ui/button.tsx'
import type { Emulator } from './emulator.ts'

interface TerminalFindProps {
  emulator: Emulator
  /** Counts open requests. Each one focuses the field. */
  focusRequest: number
  onClose: () => void
}

/** Searches the screen and the lines above it. Enter goes to the previous match, which is the older one. */
export function TerminalFind({ emulator, focusRequest, onClose }: TerminalFindProps) {
  const bar = useRef<HTMLElement>(null)
  const field = useRef<HTMLInputElement>(null)
  const [text, setText] = useState('')
  const [found, setFound] = useState({ index: -1, count: 0 })
  useEffect(() => field.current?.select(), [focusRequest])
  useEscape(bar, onClose)
  useEffect(() => emulator.onMatches((index, count) => setFound({ index, count })), [emulator])
  const change = (wanted: string) => {
    setText(wanted)
    if (wanted === '') emulator.endFind()
    else emulator.find(wanted, 'previous', true)
  }
  const step = (direction: 'next' | 'previous') => text !== '' && emulator.find(text, direction, false)
  return (
    <search ref={bar} className="terminal-find">
      <input
        ref={field}
        aria-label={t.terminals.find}
        placeholder={t.terminals.find}
        value={text}
        spellCheck={false}
        onChange={(event) => change(event.target.value)}
        onKeyDown={(event) => {
          if (event.nativeEvent.isComposing) return
          if (event.key === 'Enter') step(event.shiftKey ? 'next' : 'previous')
        }}
      />
      <output className="terminal-matches" aria-live="polite">
        {text === '' ? '' : found.count === 0 ? t.find.none : t.find.place(found.index + 1, String(found.count))}
      </output>
      <IconButton label={t.find.previous} disabled={found.count === 0} onClick={() => step('previous')}>
        <ChevronUp />
      </IconButton>
      <IconButton label={t.find.next} disabled={found.count === 0} onClick={() => step('next')}>
        <ChevronDown />
      </IconButton>
      <IconButton label={t.find.close} onClick={onClose}>
        <X />
      </IconButton>
    </search>
  )
}

/** Closes only the bar. The panels around it listen to the element itself, so React's event comes too late. */
function useEscape(bar: RefObject<HTMLElement | null>, onClose: () => void): void {
  useEffect(() => {
    const { current } = bar
    const onKey = (event: KeyboardEvent) => {
      if (event.key !== 'Escape' || event.isComposing) return
      event.preventDefault()
      event.stopPropagation()
      onClose()
    }
    current?.addEventListener('keydown', onKey)
    return () => current?.removeEventListener('keydown', onKey)
  }, [bar, onClose])
}
