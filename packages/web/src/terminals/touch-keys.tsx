import { ArrowDown, ArrowLeft, ArrowRight, ArrowUp } from 'lucide-react'
import { useRef, useState } from 'react'
import { t } from '../texts/t.ts'
import { Group } from '../ui/elements.tsx'

interface TouchKeysState {
  isControl: boolean
  toggleControl: () => void
  /** Applies a pressed Ctrl to the next letter. */
  mapInput: (text: string) => string
}

export function useTouchKeys(): TouchKeysState {
  const [isControl, setControl] = useState(false)
  const control = useRef(false)
  const set = (on: boolean) => {
    control.current = on
    setControl(on)
  }
  return {
    isControl,
    toggleControl: () => set(!control.current),
    mapInput(text) {
      if (!control.current) return text
      set(false)
      return /^[a-z@[\\\]^_]$/i.test(text) ? String.fromCharCode(text.toUpperCase().charCodeAt(0) & 0x1f) : text
    },
  }
}

interface TouchKeysProps {
  keys: TouchKeysState
  onKey: (text: string) => void
  onDone: () => void
}

/** Keys that the keyboards of phones lack. Shown only where fingers are the pointer. */
export function TouchKeys({ keys, onKey, onDone }: TouchKeysProps) {
  const press = (text: string) => () => {
    onKey(text)
    onDone()
  }
  return (
    <Group className="terminal-keys" label={t.terminals.keys}>
      <button type="button" onClick={press('\x1b')}>
        Esc
      </button>
      <button type="button" onClick={press('\t')}>
        Tab
      </button>
      <button
        type="button"
        aria-pressed={keys.isControl}
        onClick={() => {
          keys.toggleControl()
          onDone()
        }}
      >
        Ctrl
      </button>
      <button type="button" aria-label={t.terminals.left} onClick={press('\x1b[D')}>
        <ArrowLeft aria-hidden />
      </button>
      <button type="button" aria-label={t.terminals.down} onClick={press('\x1b[B')}>
        <ArrowDown aria-hidden />
      </button>
      <button type="button" aria-label={t.terminals.up} onClick={press('\x1b[A')}>
        <ArrowUp aria-hidden />
      </button>
      <button type="button" aria-label={t.terminals.right} onClick={press('\x1b[C')}>
        <ArrowRight aria-hidden />
      </button>
    </Group>
  )
}
