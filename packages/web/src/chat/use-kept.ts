import type { ChatSessionStore } from './session-services.ts'
import { useState } from 'react'
import { useSessionStore } from './session-context.ts'

const retained = new WeakMap<ChatSessionStore, Map<string, unknown>>()

/** State that outlives its component: a row that scrolls out of sight is unmounted, and what was typed there stays. */
export function useRetainedState<Value>(key: string, initial: Value): [Value, (value: Value) => void] {
  const store = useSessionStore()
  const values = retained.get(store) ?? new Map<string, unknown>()
  retained.set(store, values)
  const [value, setValue] = useState((values.get(key) as Value | undefined) ?? initial)
  const keep = (next: Value) => {
    values.set(key, next)
    setValue(next)
  }
  return [value, keep]
}
