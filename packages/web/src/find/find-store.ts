import type { TextMatch } from '@troupe/core'
import { createStore } from 'zustand/vanilla'
import type { StoreApi } from 'zustand/vanilla'
import type { Api } from '../api/api.ts'

/** One place of a text: the message, and which of its places it is; or the call of it that holds the text. */
export interface FoundMatch {
  messageId: string
  ordinal: number
  toolCallId?: string
  isOnBranch: boolean
}

export interface FindState {
  text: string
  /** Null while it is being looked for. */
  places: readonly FoundMatch[] | null
  isCut: boolean
  /** The place that is looked at. */
  index: number
}

export interface FindActions {
  /** Looks for a text; the place that is nearest above the last of these messages is looked at first. */
  look: (text: string, at: { leaf: string | undefined; inSight: readonly string[] }) => Promise<void>
  step: (by: 1 | -1) => void
}

export type FindStore = StoreApi<FindState> & FindActions

export function createFindStore(
  sessionId: string,
  services: { api: Pick<Api, 'matches'>; onError: (error: unknown) => void },
): FindStore {
  const store = createStore<FindState>(() => ({ text: '', places: [], isCut: false, index: 0 }))
  let asking: AbortController | undefined

  return { ...store, look, step }

  async function look(text: string, { leaf, inSight }: Parameters<FindActions['look']>[1]): Promise<void> {
    asking?.abort()
    asking = new AbortController()
    const { signal } = asking
    store.setState({ text, places: text.trim() === '' ? [] : null, isCut: false, index: 0 })
    if (text.trim() === '') return
    try {
      const { matches, isCut } = await services.api.matches(
        sessionId,
        { text: text.trim(), ...(leaf !== undefined && { leaf }) },
        signal,
      )
      if (signal.aborted) return
      const places = toMatches(matches)
      store.setState({ places, isCut, index: nearest(places, inSight) })
    } catch (error) {
      if (signal.aborted) return
      store.setState({ places: [] })
      services.onError(error)
    }
  }

  function step(by: 1 | -1): void {
    store.setState(({ places, index }) => {
      const count = places?.length ?? 0
      return count === 0 ? {} : { index: (index + by + count) % count }
    })
  }
}

function toMatches(matches: readonly TextMatch[]): FoundMatch[] {
  return matches.flatMap(({ messageId, count, calls, isOnBranch }) => {
    const said = Array.from({ length: count }, (_, ordinal): FoundMatch => ({ messageId, ordinal, isOnBranch }))
    const inCalls = calls.map(({ toolCallId, after }) => ({ messageId, ordinal: after, toolCallId, isOnBranch }))
    // A call that comes after n of the places said stands before the one that is numbered n.
    return [...inCalls, ...said].toSorted((one, other) => one.ordinal - other.ordinal)
  })
}

/** Where one is, not where the session begins; the newest place of the branch where none is in sight. */
function nearest(places: readonly FoundMatch[], inSight: readonly string[]): number {
  const seen = places.findIndex(({ messageId }) => inSight.includes(messageId))
  if (seen >= 0) return seen
  return Math.max(
    0,
    places.findLastIndex(({ isOnBranch }) => isOnBranch),
  )
}
