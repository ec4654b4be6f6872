import { newId } from '@troupe/core/protocol'
import type { Kept } from './kept.ts'

export interface ClientIds {
  /** This browser, for as long as it keeps its storage. */
  clientId: string
  /** This tab, through reloads. */
  tabId: string
}

export function readClientIds(browser: Kept, tab: Kept): ClientIds {
  return { clientId: kept(browser, 'troupe.client', 'c'), tabId: kept(tab, 'troupe.tab', 't') }
}

function kept(store: Kept, key: string, prefix: string): string {
  const known = store.get(key)
  if (known !== null) return known
  const id = newId(prefix)
  store.set(key, id)
  return id
}
