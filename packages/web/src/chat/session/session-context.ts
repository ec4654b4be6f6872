import { createContext, useContext, useEffect, useState } from 'react'
import { useStore } from 'zustand'
import type { SessionState } from './session-state.ts'
import type { ChatSessionStore } from './session-types.ts'

export const SessionContext = createContext<ChatSessionStore | null>(null)

export function useSessionStore(): ChatSessionStore {
  const store = useContext(SessionContext)
  if (store === null) throw new Error('no session around this component')
  return store
}

export function useSession<Value>(select: (state: SessionState) => Value): Value {
  return useStore(useSessionStore(), select)
}

/** Open and closed state by key. Survives when a row scrolls out of view and unmounts. */
export const DisclosureContext = createContext<Map<string, boolean>>(new Map())

/** True inside a group of finished tool calls. */
export const GroupedContext = createContext(false)

/** The user opened this card before it became part of a group. It stays where it is, so that nothing vanishes. */
export function standsAlone(chosen: ReadonlyMap<string, boolean>, id: string): boolean {
  return chosen.get(aloneKey(id)) === true
}

function aloneKey(id: string): string {
  return `alone ${id}`
}

/** The user's choice wins. With `keeps`, an item that opened by itself stays open after the reason is gone. */
export function useDisclosure(
  id: string,
  byDefault: boolean,
  { keeps = false }: { keeps?: boolean } = {},
): [boolean, (open: boolean) => void] {
  const chosen = useContext(DisclosureContext)
  const isGrouped = useContext(GroupedContext)
  const [, redraw] = useState(0)
  useEffect(() => {
    if (keeps && byDefault && !chosen.has(id)) chosen.set(id, true)
  }, [chosen, id, keeps, byDefault])
  const setOpen = (open: boolean) => {
    chosen.set(id, open)
    if (!isGrouped) chosen.set(aloneKey(id), open)
    redraw((count) => count + 1)
  }
  return [chosen.get(id) ?? byDefault, setOpen]
}
