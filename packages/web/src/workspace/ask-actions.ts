import type { Ask } from '@troupe/core'
import type { StoreApi } from 'zustand/vanilla'
import { isRecord } from '../api/read-fields.ts'
import { isUnreachable } from '../api/request.ts'
import type { AppServices, AppState, PageAsk } from './app-state.ts'

export interface AskActions {
  /** Loads open asks. Calls during a request share one more request. */
  refreshAsks: () => Promise<void>
  /** Removes answered asks from the inbox without a reload. */
  asksAnswered: (askIds: readonly string[]) => void
  refreshApart: () => Promise<void>
}

export function createAskActions(
  { getState, setState }: StoreApi<AppState>,
  { api, onError }: Pick<AppServices, 'api' | 'onError'>,
): AskActions {
  /** A list requested before the answer still contains the ask. */
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
      const { sessions, unlistedSessions: apart } = getState()
      const known = new Set([...sessions.map(({ id }) => id), ...Object.keys(apart)])
      if (asks.some(({ sessionId, folder }) => folder == null && !known.has(sessionId))) await refreshApart()
    } catch (error) {
      if (!isUnreachable(error)) onError(error)
    }
  }

  function asksAnswered(askIds: readonly string[]): void {
    for (const id of askIds) answered.add(id)
    show(getState().asks.filter(({ id }) => !answered.has(id)))
  }

  /** Open asks never change, so the same IDs mean the same list and no re-render. */
  function show(asks: PageAsk[]): void {
    const before = getState().asks
    const isSame = before.length === asks.length && asks.every(({ id }, index) => before[index]?.id === id)
    if (!isSame) setState({ asks })
  }

  async function refreshApart(): Promise<void> {
    const { sessions, asks, sessionId, isNew } = getState()
    const listed = new Set(sessions.map(({ id }) => id))
    const here = asks.filter(({ folder }) => folder == null)
    const shown = new Set([...(isNew ? [] : [sessionId]), ...here.map((ask) => ask.sessionId)])
    const missing = [...shown].filter((id) => !listed.has(id))
    if (missing.length === 0 && Object.keys(getState().unlistedSessions).length === 0) return
    // A deleted session is reported where it is opened.
    const read = await Promise.all(missing.map((id) => api.session(id).catch(() => undefined)))
    setState({
      unlistedSessions: Object.fromEntries(read.flatMap((found) => (found ? [[found.session.id, found.session]] : []))),
    })
  }
}

/** Excludes asks that the page handles by itself, but not those that need a click. */
function isForPeople({ kind, content }: Ask): boolean {
  return kind !== 'browser' || (isRecord(content) && content['byPerson'] === true)
}
