import { useEffect, useState } from 'react'
import { useSessionStore } from './session-context.ts'
import { isWaiting, textOf } from './session-state.ts'

const spokenCharacters = 600

/** Tells a screen reader when an answer is complete or needs a decision; never while it is being written. */
export function Announcer() {
  const store = useSessionStore()
  const [text, setText] = useState('')
  useEffect(
    () =>
      store.subscribe((state, before) => {
        if (isWaiting(state.run) && !isWaiting(before.run)) setText('A call waits for your decision.')
        else if (state.run === null && before.run?.answer != null)
          setText(`Answer finished. ${textOf(before.run.answer).slice(0, spokenCharacters)}`)
        else if (state.unsent !== null && before.unsent === null) setText(`Not sent. ${state.unsent.error.message}`)
      }),
    [store],
  )
  return (
    <output className="visually-hidden" aria-live="polite" data-testid="announcer">
      {text}
    </output>
  )
}
