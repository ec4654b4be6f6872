import { useRef, useState } from 'react'
import { focusOnMount } from '../ui/focus-field.ts'

/** Enter and leaving the field save, Escape does not. */
export function NameField({
  label,
  value: given,
  maxLength,
  onDone,
}: {
  label: string
  value: string
  maxLength: number
  /** Null: nothing is to change. `byKey`: the focus is still here. */
  onDone: (name: string | null, byKey: boolean) => void
}) {
  const [value, setValue] = useState(given)
  const ended = useRef(false)
  const end = (saved: boolean, byKey: boolean) => {
    if (ended.current) return
    ended.current = true
    const name = value.trim()
    onDone(saved && name !== '' && name !== given ? name : null, byKey)
  }
  return (
    <input
      className="session-field"
      aria-label={label}
      ref={focusOnMount}
      maxLength={maxLength}
      value={value}
      onFocus={(event) => event.target.select()}
      onChange={(event) => setValue(event.target.value)}
      onBlur={() => end(true, false)}
      onKeyDown={(event) => {
        if (event.nativeEvent.isComposing) return
        if (event.key !== 'Enter' && event.key !== 'Escape') return
        // Else the key would press what has the focus next.
        event.preventDefault()
        event.stopPropagation()
        end(event.key === 'Enter', true)
      }}
    />
  )
}
