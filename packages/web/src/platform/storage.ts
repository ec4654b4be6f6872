import { newId } from '@troupe/protocol'

/** String storage that survives the page. Falls back to memory if the browser blocks storage. */
export interface KeyValueStorage {
  get(key: string): string | null
  set(key: string, value: string | null): void
}

export function createStorage(open: () => Storage): KeyValueStorage {
  const memory = new Map<string, string>()
  let storage: Storage | undefined
  try {
    storage = open()
  } catch {
    storage = undefined
  }
  return {
    get: (key) => memory.get(key) ?? storage?.getItem(key) ?? null,
    set(key, value) {
      try {
        if (value === null) storage?.removeItem(key)
        else storage?.setItem(key, value)
        memory.delete(key)
        if (storage !== undefined) return
      } catch {
        // Storage is full, so keep the value in memory below.
      }
      if (value === null) memory.delete(key)
      else memory.set(key, value)
    },
  }
}

export const browserStorage = createStorage(() => window.localStorage)
export const tabStorage = createStorage(() => window.sessionStorage)

/** Returns all keys in browser storage. Empty if storage is blocked. */
export function storedKeys(): string[] {
  try {
    return Object.keys(window.localStorage)
  } catch {
    return []
  }
}

export interface ClientIds {
  /** Identifies the browser for as long as it keeps its storage. */
  clientId: string
  /** Identifies the tab across reloads. */
  tabId: string
}

export function readClientIds(browser: KeyValueStorage, tab: KeyValueStorage): ClientIds {
  return { clientId: readOrCreateId(browser, 'troupe.client', 'c'), tabId: readOrCreateId(tab, 'troupe.tab', 't') }
}

function readOrCreateId(store: KeyValueStorage, key: string, prefix: string): string {
  const known = store.get(key)
  if (known !== null) return known
  const id = newId(prefix)
  store.set(key, id)
  return id
}
