import { useEffect, useId, useLayoutEffect, useRef, useState } from 'react'
import type { KeyboardEvent, RefObject } from 'react'
import type { PickItem } from '../api/api.ts'
import { useWorkspace } from '../workspace.ts'
import { triggerWordAt } from './word-at.ts'
import type { TriggerWord } from './word-at.ts'

export interface Suggestions {
  listId: string
  items: readonly PickItem[]
  active: number
  optionId(index: number): string
  take(item: PickItem): void
  /** True when the key was for the list. */
  onKey(event: KeyboardEvent<HTMLTextAreaElement>): boolean
  /** The caret may have moved. */
  look(): void
  close(): void
}

interface SuggestionState {
  word: TriggerWord
  items: PickItem[]
}

/** What the word at the caret may become, asked of the server while it is typed. Only keys move in it. */
export function useSuggestions(
  field: RefObject<HTMLTextAreaElement | null>,
  draft: string,
  setDraft: (draft: string) => void,
): Suggestions {
  const { api } = useWorkspace()
  const listId = useId()
  const [word, setWord] = useState<TriggerWord>()
  const [shown, setShown] = useState<SuggestionState>()
  const [active, setActive] = useState(0)
  const dismissed = useRef<string>(undefined)
  const caret = useRef<number>(undefined)

  const look = () => {
    const { current } = field
    const found = current === null ? undefined : triggerWordAt(current.value, current.selectionEnd)
    const key = found === undefined ? undefined : `${found.from}${found.text[0]}`
    // What was closed stays closed until another word is begun.
    if (key !== dismissed.current) dismissed.current = undefined
    setWord(key === undefined || dismissed.current === key ? undefined : found)
  }
  useEffect(look, [draft, field])
  useLayoutEffect(() => {
    if (caret.current === undefined) return
    field.current?.setSelectionRange(caret.current, caret.current)
    caret.current = undefined
    look()
  })

  const typed = word?.text
  useEffect(() => {
    if (word === undefined || typed === undefined) return setShown(undefined)
    const asking = new AbortController()
    api
      .complete(typed, asking.signal)
      .then(({ items }) => {
        if (asking.signal.aborted) return
        setActive(0)
        setShown({ word, items: items.filter(({ kind }) => kind !== 'command' || word.first) })
      })
      // Without a list there is only nothing to pick from; that the server is away is said elsewhere.
      .catch(() => setShown(undefined))
    return () => asking.abort()
    // The word moves with every letter before it; what is asked for does not.
    // oxlint-disable-next-line react/exhaustive-deps
  }, [api, typed, word?.first])

  const items = word === undefined ? [] : (shown?.items ?? [])
  const close = () => {
    if (word !== undefined) dismissed.current = `${word.from}${word.text[0]}`
    setWord(undefined)
  }
  const take = ({ insert }: PickItem) => {
    if (word === undefined) return
    const rest = draft.slice(word.to)
    const text = insert.endsWith(' ') && rest.startsWith(' ') ? insert.trimEnd() : insert
    caret.current = word.from + insert.length
    setDraft(draft.slice(0, word.from) + text + rest)
    field.current?.focus()
  }
  const onKey = (event: KeyboardEvent<HTMLTextAreaElement>): boolean => {
    const item = items[active]
    if (item === undefined || event.nativeEvent.isComposing || event.ctrlKey || event.metaKey || event.altKey)
      return false
    if (event.key === 'ArrowDown' || event.key === 'ArrowUp') {
      const step = event.key === 'ArrowDown' ? 1 : -1
      setActive((active + step + items.length) % items.length)
    } else if (event.key === 'Escape') close()
    else if ((event.key === 'Enter' || event.key === 'Tab') && !event.shiftKey) {
      // What is written in full is sent, not written again.
      if (event.key === 'Enter' && word?.text === item.insert.trimEnd()) return false
      take(item)
    } else return false
    event.preventDefault()
    return true
  }
  return { listId, items, active, optionId: (index) => `${listId}-${index}`, take, onKey, look, close }
}
