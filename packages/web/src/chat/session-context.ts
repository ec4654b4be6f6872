import type { ChatSessionStore } from './session-services.ts'
import { createContext, useContext } from 'react'
import { useStore } from 'zustand'
import type { SessionState } from './session-state.ts'

export const SessionContext = createContext<ChatSessionStore | null>(null)

export function useSessionStore(): ChatSessionStore {
  const store = useContext(SessionContext)
  if (store === null) throw new Error('no session around this component')
  return store
}

export function useSession<Value>(select: (state: SessionState) => Value): Value {
  return useStore(useSessionStore(), select)
}
