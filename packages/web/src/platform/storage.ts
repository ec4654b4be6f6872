import { newId } from '@troupe/protocol'

/** A few strings that outlive the page. Where the browser closes its storage, they live as long as the page does. */
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
        // Full: it is kept in memory below.
      }
      if (value === null) memory.delete(key)
      else memory.set(key, value)
    },
  }
}

export const browserStorage = createStorage(() => window.localStorage)
export const tabStorage = createStorage(() => window.sessionStorage)

/** The keys of everything that the browser keeps for the page; none where it keeps nothing. */
export function storedKeys(): string[] {
  try {
    return Object.keys(window.localStorage)
  } catch {
    return []
  }
}

export interface ClientIds {
  /** This browser, for as long as it keeps its storage. */
  clientId: string
  /** This tab, through reloads. */
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
