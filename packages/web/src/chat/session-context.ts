import { createContext, useContext } from 'react'
import { useStore } from 'zustand'
import type { SessionState } from './session-state.ts'
import type { SessionStore } from './session-store.ts'

export const SessionContext = createContext<SessionStore | null>(null)

export function useSessionStore(): SessionStore {
  const store = useContext(SessionContext)
  if (store === null) throw new Error('no session around this component')
  return store
}

export function useSession<Value>(select: (state: SessionState) => Value): Value {
  return useStore(useSessionStore(), select)
}
