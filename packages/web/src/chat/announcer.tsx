import { useEffect, useState } from 'react'
import { announce } from './announce.ts'
import { useSessionStore } from './session-context.ts'

/** Tells a screen reader what happens in the session. */
export function Announcer() {
  const store = useSessionStore()
  const [text, setText] = useState('')
  // The same words again are no change, and only a change is read: a blank that nobody hears makes them one.
  useEffect(() => announce(store, (next) => setText((last) => (next === last ? `${next}\u00A0` : next))), [store])
  return (
    <output className="visually-hidden" aria-live="polite" data-testid="announcer">
      {text}
    </output>
  )
}
