import { findSettings } from '../settings/find-settings.ts'
import type { Searchable } from '../settings/find-settings.ts'

/** One line of the palette. */
export interface PaletteEntry {
  id: string
  group: 'commands' | 'choices' | 'sessions' | 'messages' | 'settings'
  title: string
  detail: string
  words?: string
  /** Among the first things that are offered, without words. */
  isFirst?: boolean
  /** Instead of being done it is chosen further, from what these words find. */
  narrowsTo?: string
  run: () => void
}

const mostPerGroup: Record<PaletteEntry['group'], number> = {
  commands: 12,
  choices: 40,
  sessions: 8,
  messages: 8,
  settings: 8,
}
const mostSessionsAtFirst = 6

/** What fits the words, group by group; messages were found by the server and all fit. */
export function findEntries(entries: readonly PaletteEntry[], query: string): PaletteEntry[] {
  const isSearching = query.trim() !== ''
  const searchable = (entry: PaletteEntry): Searchable => ({
    at: entry.id,
    title: entry.title,
    section: entry.detail,
    words: entry.words ?? '',
  })
  return [...Map.groupBy(entries, ({ group }) => group)].flatMap(([group, members]) => {
    if (!isSearching) {
      const first = members.filter(({ isFirst }) => isFirst === true)
      return group === 'sessions' ? first.slice(0, mostSessionsAtFirst) : first
    }
    if (group === 'messages') return members.slice(0, mostPerGroup[group])
    const byId = new Map(members.map((entry) => [entry.id, entry]))
    return findSettings(members.map(searchable), query)
      .slice(0, mostPerGroup[group])
      .flatMap(({ at }) => byId.get(at) ?? [])
  })
}
