import { type KeyboardEvent, type RefObject, useEffect, useId, useLayoutEffect, useRef, useState } from 'react'
import type { PickItem } from '../api/api.ts'
import { useWorkspace } from '../workspace/workspace.ts'

export interface Suggestions {
  listId: string
  /** True once a word was completed. Before that, the list need not be loaded. */
  isOpened: boolean
  items: readonly PickItem[]
  active: number
  optionId(index: number): string
  accept(item: PickItem): void
  /** Returns true if the list handled the key. */
  onKey(event: KeyboardEvent<HTMLTextAreaElement>): boolean
  /** Call when the caret may have moved. */
  look(): void
  close(): void
}

interface SuggestionState {
  word: TriggerWord
  items: PickItem[]
}

/** Completions for the word at the caret, requested from the server while typing. Keyboard only. */
export function useSuggestions(
  field: RefObject<HTMLTextAreaElement | null>,
  draft: string,
  setDraft: (draft: string) => void,
): Suggestions {
  const { api } = useWorkspace()
  const listId = useId()
  const [word, setWord] = useState<TriggerWord>()
  const [isOpened, setOpened] = useState(false)
  if (word !== undefined && !isOpened) setOpened(true)
  const [shown, setShown] = useState<SuggestionState>()
  const [active, setActive] = useState(0)
  const dismissed = useRef<string>(undefined)
  const caret = useRef<number>(undefined)

  const look = () => {
    const { current } = field
    const found = current === null ? undefined : triggerWordAt(current.value, current.selectionEnd)
    const key = found === undefined ? undefined : `${found.from}${found.text[0]}`
    // A dismissed list stays closed until another word starts.
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
      // Fail silently. A lost connection is reported elsewhere.
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
      // Enter on a complete word sends the message.
      if (event.key === 'Enter' && word?.text === item.insert.trimEnd()) return false
      take(item)
    } else return false
    event.preventDefault()
    return true
  }
  return {
    listId,
    isOpened,
    items,
    active,
    optionId: (index) => `${listId}-${index}`,
    accept: take,
    onKey,
    look,
    close,
  }
}

interface TriggerWord {
  /** Includes its `/` or `@`. */
  text: string
  from: number
  to: number
  /** True if it starts the text. Commands work only there. */
  first: boolean
}

/** Returns the word ending at the caret if it starts with `/` or `@`. */
export function triggerWordAt(text: string, caret: number): TriggerWord | undefined {
  const before = text.slice(0, caret)
  const match = /(?:^|[\s([{"'])([/@]|@"[^"\n]*|[/@][^\s@"][^\s"]*)$/u.exec(before)
  const word = match?.[1]
  if (word === undefined || (caret < text.length && /\S/.test(text[caret] ?? ''))) return undefined
  const from = caret - word.length
  return { text: word, from, to: caret, first: before.slice(0, from).trim() === '' }
}
