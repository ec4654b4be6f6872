import { useState } from 'react'
import { useSessionStore } from './session-context.ts'
import type { SessionStore } from './session-store.ts'

const kept = new WeakMap<SessionStore, Map<string, unknown>>()

/** State that outlives its component: a row that scrolls out of sight is unmounted, and what was typed there stays. */
export function useKept<Value>(key: string, initial: Value): [Value, (value: Value) => void] {
  const store = useSessionStore()
  const values = kept.get(store) ?? new Map<string, unknown>()
  kept.set(store, values)
  const [value, setValue] = useState((values.get(key) as Value | undefined) ?? initial)
  const keep = (next: Value) => {
    values.set(key, next)
    setValue(next)
  }
  return [value, keep]
}
