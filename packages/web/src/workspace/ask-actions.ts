import type { Ask } from '@troupe/core'
import type { StoreApi } from 'zustand/vanilla'
import { isRecord } from '../api/read-fields.ts'
import { isUnreachable } from '../api/request.ts'
import type { AppServices, AppState } from './app-state.ts'

export interface AskActions {
  /** Reads what waits for the person; calls that come while it is being read are served by one more reading. */
  refreshAsks: () => Promise<void>
  /** These have their answer: they are gone from the inbox without another look. */
  asksAnswered: (askIds: readonly string[]) => void
  /** Reads the sessions that are shown somewhere and that the list does not reach. */
  refreshApart: () => Promise<void>
}

export function createAskActions(
  { getState, setState }: StoreApi<AppState>,
  { api, onError }: Pick<AppServices, 'api' | 'onError'>,
): AskActions {
  /** A list that was on its way when an answer was given still has the ask. */
  const answered = new Set<string>()
  let reading: Promise<void> | undefined
  let waiting: Promise<void> | undefined

  return { refreshAsks, asksAnswered, refreshApart }

  function refreshAsks(): Promise<void> {
    if (reading === undefined) {
      reading = read().finally(() => void (reading = undefined))
      return reading
    }
    waiting ??= reading.then(() => {
      waiting = undefined
      return refreshAsks()
    })
    return waiting
  }

  async function read(): Promise<void> {
    try {
      const { asks } = await api.asks()
      show(asks.filter((ask) => ask.closedAt === null && isForPeople(ask) && !answered.has(ask.id)))
      const { sessions, apart } = getState()
      const known = new Set([...sessions.map(({ id }) => id), ...Object.keys(apart)])
      if (asks.some(({ sessionId }) => !known.has(sessionId))) await refreshApart()
    } catch (error) {
      if (!isUnreachable(error)) onError(error)
    }
  }

  function asksAnswered(askIds: readonly string[]): void {
    for (const id of askIds) answered.add(id)
    show(getState().asks.filter(({ id }) => !answered.has(id)))
  }

  /** Asks never change while they are open: the same ids are the same list, and nothing is drawn anew. */
  function show(asks: Ask[]): void {
    const before = getState().asks
    const isSame = before.length === asks.length && asks.every(({ id }, index) => before[index]?.id === id)
    if (!isSame) setState({ asks })
  }

  async function refreshApart(): Promise<void> {
    const { sessions, asks, sessionId, isNew } = getState()
    const listed = new Set(sessions.map(({ id }) => id))
    const shown = new Set([...(isNew ? [] : [sessionId]), ...asks.map((ask) => ask.sessionId)])
    const missing = [...shown].filter((id) => !listed.has(id))
    if (missing.length === 0 && Object.keys(getState().apart).length === 0) return
    // One that is gone is told of where it is opened.
    const read = await Promise.all(missing.map((id) => api.session(id).catch(() => undefined)))
    setState({ apart: Object.fromEntries(read.flatMap((found) => (found ? [[found.session.id, found.session]] : []))) })
  }
}

/** What a page does by itself is no matter of the person's; what waits for their click is. */
function isForPeople({ kind, content }: Ask): boolean {
  return kind !== 'browser' || (isRecord(content) && content['byPerson'] === true)
}
