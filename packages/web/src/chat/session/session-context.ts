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

/** What has been opened or closed in this session. A row that scrolls out of sight is unmounted and must not forget. */
export const DisclosureContext = createContext<Map<string, boolean>>(new Map())

/** What the person chooses wins. With `keeps`, what was open by itself stays so when the reason for it is gone. */
export function useDisclosure(
  id: string,
  byDefault: boolean,
  { keeps = false }: { keeps?: boolean } = {},
): [boolean, (open: boolean) => void] {
  const chosen = useContext(DisclosureContext)
  const [, redraw] = useState(0)
  useEffect(() => {
    if (keeps && byDefault && !chosen.has(id)) chosen.set(id, true)
  }, [chosen, id, keeps, byDefault])
  const setOpen = (open: boolean) => {
    chosen.set(id, open)
    redraw((count) => count + 1)
  }
  return [chosen.get(id) ?? byDefault, setOpen]
}
