import { newId } from '@troupe/protocol'
import { createStore, type StoreApi } from 'zustand/vanilla'
import type { FilePartData } from './session-state.ts'

/** Message to send after the current run. It keeps its ID when sent, so sending it twice delivers it once. */
export interface QueuedMessage {
  id: string
  text: string
  files: FilePartData[]
}

export interface QueueState {
  items: readonly QueuedMessage[]
  /** True after a run failed. Nothing is sent until the user confirms. */
  held: boolean
  /** Message being sent since `at`. It is hidden, and stays here until it arrives. */
  sending: { id: string; at: number } | null
  /**
   * Answer that the last message followed. Prevents another tab from sending the next message after the same answer.
   */
  after: string | null
}

/** Storage of a queue, shared by all tabs of the browser. */
export interface QueueStorage {
  read: () => string | null
  write: (text: string | null) => void
  watch: (listener: () => void) => void
  /** Runs the callback under a lock across tabs. */
  exclusive: <Result>(work: () => Result) => Promise<Result>
  now: () => number
}

export interface Queue extends StoreApi<QueueState> {
  add: (text: string, files?: FilePartData[]) => void
  /** Empty text without files removes the message. */
  change: (id: string, text: string) => void
  remove: (id: string) => void
  move: (id: string, by: number) => void
  pause: () => void
  release: () => void
  /**
   * Takes the next message to send from this tab. Undefined if the queue is empty or held, or another tab is sending.
   */
  nextAfter: (answerId: string) => Promise<QueuedMessage | undefined>
  /** Takes the next message at the user's request. */
  nextNow: () => Promise<QueuedMessage | undefined>
  markArrived: (ids: readonly string[]) => void
  /** Returns a message that could not be sent to the queue. */
  requeue: (id: string) => void
}

const empty: QueueState = { items: [], held: false, sending: null, after: null }

/** Time after which the sending tab is presumed closed. */
const onWayMs = 60_000

/** Queue of messages to send one by one. Every change starts from the state shared by all tabs. */
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
    pause: () => change((state) => (state.held || state.items.length === 0 ? state : { ...state, held: true })),
    release: () => change((state) => (state.held ? { ...state, held: false } : state)),
    nextAfter: (answerId) =>
      take(({ held, after, sending }) => !held && after !== answerId && sending === null, { after: answerId }),
    nextNow: () => take(() => true, { held: false }),
    markArrived: (ids) =>
      change((state) => (state.items.some(({ id }) => ids.includes(id)) ? without(state, ids) : state)),
    requeue: (id) => change((state) => (state.sending?.id === id ? { ...state, sending: null } : state)),
  }
}

/** Waiting messages. The one being sent appears in the conversation instead. */
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

/** Ignores malformed data, or data of another page version. */
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
