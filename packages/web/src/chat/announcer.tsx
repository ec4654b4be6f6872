import { useEffect, useState } from 'react'
import { t } from '../texts/t.ts'
import { howItEnded } from './how-it-ended.ts'
import { useSessionStore } from './session-context.ts'
import { isWaiting } from './session-state.ts'

/** Tells a screen reader how an answer ended or that it needs a decision; never while it is being written. */
export function Announcer() {
  const store = useSessionStore()
  const [text, setText] = useState('')
  useEffect(() => {
    /** An answer whose run is over; how it ended may only be known once the stored copy has come. */
    let ended: string | undefined
    return store.subscribe((state, before) => {
      if (isWaiting(state.run) && !isWaiting(before.run)) setText(t.chat.waitsForDecision)
      else if (state.unsent !== null && before.unsent === null) setText(t.chat.notSent(state.unsent.error.message))
      if (state.run === null && before.run?.answer != null) ended = before.run.answer.id
      const said = ended === undefined ? undefined : howItEnded(state.messages.find(({ id }) => id === ended))
      if (said === undefined) return
      ended = undefined
      setText(said)
    })
  }, [store])
  return (
    <output className="visually-hidden" aria-live="polite" data-testid="announcer">
      {text}
    </output>
  )
}
