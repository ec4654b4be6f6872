import { Bot, File, Folder, GraduationCap, SquareSlash } from 'lucide-react'
import { type KeyboardEvent, type RefObject, useEffect, useId, useLayoutEffect, useRef, useState } from 'react'
import type { PickItem } from '../api/api.ts'
import { translateServerText } from '../texts/server-texts.ts'
import { t } from '../texts/t.ts'
import { useWorkspace } from '../workspace/workspace.ts'
import './pick-list.css'

interface Suggestions {
  listId: string
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
  return { listId, items, active, optionId: (index) => `${listId}-${index}`, accept: take, onKey, look, close }
}

/* oxlint-disable jsx-a11y/prefer-tag-over-role, jsx-a11y/click-events-have-key-events, jsx-a11y/interactive-supports-focus --
   a list that a text field drives has no tag of its own; its keys are those of the field */

const icons = { command: SquareSlash, skill: GraduationCap, file: File, folder: Folder, agent: Bot }

/** Suggestions at the caret. The field keeps the focus; arrows move, Enter or Tab accepts, Escape closes. */
export function SuggestionList({ picks }: { picks: Suggestions }) {
  const { listId, items, active, optionId, accept: take } = picks
  const list = useRef<HTMLDivElement>(null)
  useEffect(() => {
    list.current?.children[active]?.scrollIntoView({ block: 'nearest' })
  }, [active, items])
  const open = items.length > 0
  return (
    <>
      {open && (
        <div className="pick-box">
          <div ref={list} id={listId} role="listbox" aria-label={t.composerPicks.title} className="pick-list">
            {items.map((item, index) => (
              <Option
                key={`${item.kind} ${item.label}`}
                id={optionId(index)}
                item={item}
                active={index === active}
                onTake={() => take(item)}
              />
            ))}
          </div>
          <p className="pick-keys" aria-hidden>
            <kbd>↑</kbd> <kbd>↓</kbd> {t.composerPicks.move} · <kbd>Enter</kbd> {t.composerPicks.select} ·{' '}
            <kbd>Esc</kbd> {t.composerPicks.close}
          </p>
        </div>
      )}
      <output className="visually-hidden" aria-live="polite">
        {open ? describeOption(items, active) : ''}
      </output>
    </>
  )
}

interface OptionProps {
  id: string
  item: PickItem
  active: boolean
  onTake: () => void
}

function Option({ id, item, active, onTake }: OptionProps) {
  const Icon = icons[item.kind]
  return (
    <div
      id={id}
      role="option"
      aria-selected={active}
      className="pick-item"
      // Keeps the focus in the field, so the list stays open.
      onMouseDown={(event) => event.preventDefault()}
      onClick={onTake}
    >
      <Icon aria-hidden />
      <span className="pick-label">{item.label}</span>
      {item.kind !== 'folder' && item.detail !== '' && (
        <span className="pick-detail">{translateServerText(item.detail, 'text')}</span>
      )}
    </div>
  )
}

function describeOption(items: readonly PickItem[], active: number): string {
  const item = items[active]
  if (item === undefined) return ''
  const about = item.detail === '' || item.kind === 'folder' ? '' : `, ${translateServerText(item.detail, 'text')}`
  return `${item.label}, ${t.composerPicks.kind[item.kind]}${about}. ${t.composerPicks.place(active + 1, items.length)}`
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
