import { findSettings } from '../settings/find-settings.ts'
import type { Searchable } from '../settings/find-settings.ts'

/** One line of the palette. */
export interface Entry {
  id: string
  group: 'commands' | 'sessions' | 'messages' | 'settings'
  title: string
  detail: string
  words?: string
  run: () => void
}

const mostPerGroup = 8
/** Without words: what is likely wanted, and not all that there is. */
const mostAtFirst: Partial<Record<Entry['group'], number>> = { commands: 20, sessions: 6 }

/** What fits the words, group by group; messages were found by the server and all fit. */
export function findEntries(entries: readonly Entry[], query: string): Entry[] {
  const isSearching = query.trim() !== ''
  const searchable = (entry: Entry): Searchable => ({
    at: entry.id,
    title: entry.title,
    section: entry.detail,
    words: entry.words ?? '',
  })
  return [...Map.groupBy(entries, ({ group }) => group)].flatMap(([group, members]) => {
    if (!isSearching) return members.slice(0, mostAtFirst[group] ?? 0)
    if (group === 'messages') return members.slice(0, mostPerGroup)
    const byId = new Map(members.map((entry) => [entry.id, entry]))
    return findSettings(members.map(searchable), query)
      .slice(0, mostPerGroup)
      .flatMap(({ at }) => byId.get(at) ?? [])
  })
}
