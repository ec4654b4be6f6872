import { useCallback, useEffect, useRef, useState } from 'react'
import type { RefObject } from 'react'

type Field = HTMLInputElement | HTMLTextAreaElement

export interface UnsavedChanges {
  /** The person is about to leave what they wrote. */
  isAsking: boolean
  stay: () => void
  discard: () => void
}

const fields =
  // A selector, not shown.
  'form :is(textarea, input:not([type=search], [type=checkbox], [type=radio], [type=file]))'

/** Text in a form that was neither sent nor taken back is not lost by Escape, a click beside the dialog or on a link of it. */
export function useUnsavedChanges(
  dialog: RefObject<HTMLDialogElement | null>,
  pane: RefObject<HTMLElement | null>,
): UnsavedChanges {
  const known = useRef(new Map<Field, string>())
  const [leave, setLeave] = useState<{ go: () => void } | null>(null)
  useEffect(() => {
    const { current: around } = dialog
    const listening = new AbortController()
    const options = { signal: listening.signal }
    const ask = (event: Event, go: () => void) => {
      const isWritten = [...known.current].some(([field, was]) => field.isConnected && field.value !== was)
      if (event.defaultPrevented || !isWritten) return
      event.preventDefault()
      event.stopPropagation()
      setLeave({ go })
    }
    const close = () => around?.close()
    pane.current?.addEventListener(
      'focusin',
      ({ target }) => {
        if (!(target instanceof Element) || !target.matches(fields)) return
        const field = target as Field
        if (!known.current.has(field)) known.current.set(field, field.value)
      },
      options,
    )
    pane.current?.addEventListener(
      'submit',
      ({ target }) => {
        for (const field of known.current.keys()) if (field.form === target) known.current.delete(field)
      },
      options,
    )
    around?.addEventListener('cancel', (event) => event.target === around && ask(event, close), options)
    // Browsers close on a second Escape without asking.
    around?.addEventListener(
      'keydown',
      (event) => {
        const isHere = event.target instanceof Element && event.target.closest('dialog') === around
        if (event.key === 'Escape' && isHere) ask(event, close)
      },
      options,
    )
    around?.addEventListener(
      'click',
      (event) => {
        const link = event.target instanceof Element ? event.target.closest<HTMLElement>('nav a, .settings-back') : null
        if (link !== null) ask(event, () => link.click())
      },
      { ...options, capture: true },
    )
    return () => listening.abort()
  }, [dialog, pane])
  const stay = useCallback(() => setLeave(null), [])
  const discard = () => {
    for (const form of new Set([...known.current.keys()].map((field) => field.form))) form?.reset()
    known.current.clear()
    // Once the question is closed.
    if (leave !== null) setTimeout(leave.go)
  }
  return { isAsking: leave !== null, stay, discard }
}
