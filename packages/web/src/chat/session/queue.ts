import { newId } from '@troupe/protocol'
import { createStore, type StoreApi } from 'zustand/vanilla'
import type { FilePartData } from './session-state.ts'

/** A message that waits for the end of the run. Its id is that of the message to be: sent twice, it arrives once. */
export interface QueuedMessage {
  id: string
  text: string
  files: FilePartData[]
}

export interface QueueState {
  items: readonly QueuedMessage[]
  /** A run did not end well: nothing is sent before the person says so. */
  held: boolean
  /** One that is on its way to the server since then, and not shown; it stays until it has arrived. */
  sending: { id: string; at: number } | null
  /** The answer after which the last one was sent, so that another tab does not send the next one after it too. */
  after: string | null
}

/** Where a queue lies: one for all tabs of a browser. */
export interface QueueStorage {
  read: () => string | null
  write: (text: string | null) => void
  /** Hears of changes by other tabs. */
  watch: (listener: () => void) => void
  /** Runs the work while no other tab does. */
  exclusive: <Result>(work: () => Result) => Promise<Result>
  now: () => number
}

export interface Queue extends StoreApi<QueueState> {
  add: (text: string, files?: FilePartData[]) => void
  /** An empty text without files removes it. */
  change: (id: string, text: string) => void
  remove: (id: string) => void
  /** Earlier or later by so many places. */
  move: (id: string, by: number) => void
  hold: () => void
  release: () => void
  /** The next one, for this tab to send; undefined when there is none, it is held, or another tab sends it. */
  takeAfter: (answerId: string) => Promise<QueuedMessage | undefined>
  /** The next one, because the person said so. */
  takeNow: () => Promise<QueuedMessage | undefined>
  /** The server has these messages. */
  arrived: (ids: readonly string[]) => void
  /** It could not be sent: it is the next one again. */
  giveBack: (id: string) => void
}

const empty: QueueState = { items: [], held: false, sending: null, after: null }

/** The tab that was sending it is gone. */
const onWayMs = 60_000

/** Messages that are to be sent one after the other. Every change starts from what all tabs share. */
export function createQueue(place: QueueStorage): Queue {
  const read = (): QueueState => parse(place.read(), place.now())
  const store = createStore<QueueState>(read)
  place.watch(() => store.setState(read(), true))
  const change = (next: (state: QueueState) => QueueState): void => {
    const before = read()
    const after = next(before)
    if (after === before) return
    const tidy = after.items.length === 0 ? { ...empty, after: after.after } : after
    place.write(tidy.items.length === 0 && tidy.after === null ? null : JSON.stringify(tidy))
    store.setState(tidy, true)
  }
  const take = (
    allowed: (state: QueueState) => boolean,
    news: Partial<QueueState>,
  ): Promise<QueuedMessage | undefined> =>
    place.exclusive(() => {
      const state = read()
      const [next] = state.items
      if (next === undefined || !allowed(state)) return undefined
      change((now) => ({ ...now, ...news, sending: { id: next.id, at: place.now() } }))
      return next
    })

  return {
    ...store,
    add: (text, files = []) =>
      change((state) => ({ ...state, items: [...state.items, { id: newId('u'), text, files: [...files] }] })),
    change: (id, text) =>
      change((state) => ({
        ...state,
        items: state.items.flatMap((item) => {
          if (item.id !== id) return item
          return text.trim() === '' && item.files.length === 0 ? [] : { ...item, text }
        }),
      })),
    remove: (id) => change((state) => without(state, [id])),
    move: (id, by) => change((state) => ({ ...state, items: moved(state.items, id, by) })),
    hold: () => change((state) => (state.held || state.items.length === 0 ? state : { ...state, held: true })),
    release: () => change((state) => (state.held ? { ...state, held: false } : state)),
    takeAfter: (answerId) =>
      take(({ held, after, sending }) => !held && after !== answerId && sending === null, { after: answerId }),
    takeNow: () => take(() => true, { held: false }),
    arrived: (ids) => change((state) => (state.items.some(({ id }) => ids.includes(id)) ? without(state, ids) : state)),
    giveBack: (id) => change((state) => (state.sending?.id === id ? { ...state, sending: null } : state)),
  }
}

/** Those that wait; one on its way is shown among the messages. */
export function waitingItems({ items, sending }: QueueState): readonly QueuedMessage[] {
  return sending === null ? items : items.filter(({ id }) => id !== sending.id)
}

function without(state: QueueState, ids: readonly string[]): QueueState {
  return {
    ...state,
    items: state.items.filter(({ id }) => !ids.includes(id)),
    sending: state.sending !== null && ids.includes(state.sending.id) ? null : state.sending,
  }
}

function moved(items: readonly QueuedMessage[], id: string, by: number): readonly QueuedMessage[] {
  const from = items.findIndex((item) => item.id === id)
  const item = items[from]
  if (item === undefined) return items
  const rest = items.filter((_, index) => index !== from)
  const to = Math.min(Math.max(from + by, 0), rest.length)
  return [...rest.slice(0, to), item, ...rest.slice(to)]
}

/** What another version of the page has kept, or half of something, is no queue. */
function parse(text: string | null, now: number): QueueState {
  if (text === null) return empty
  try {
    const { items, held, sending, after } = JSON.parse(text) as Partial<Record<keyof QueueState, unknown>>
    if (!Array.isArray(items)) return empty
    return {
      items: (items as unknown[]).filter(isQueued),
      held: held === true,
      sending: isOnWay(sending) && now - sending.at < onWayMs ? sending : null,
      after: typeof after === 'string' ? after : null,
    }
  } catch {
    return empty
  }
}

function isQueued(value: unknown): value is QueuedMessage {
  const { id, text, files } = (value ?? {}) as Record<string, unknown>
  return typeof id === 'string' && typeof text === 'string' && Array.isArray(files)
}

function isOnWay(value: unknown): value is NonNullable<QueueState['sending']> {
  const { id, at } = (value ?? {}) as Record<string, unknown>
  return typeof id === 'string' && typeof at === 'number'
}
