import { newId } from '@troupe/core/protocol'
import type { KeyValueStorage } from './kept.ts'

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
