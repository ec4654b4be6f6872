import type { LucideIcon } from 'lucide-react'
import type { ComponentType } from 'react'
import type { Api } from '../api/api.ts'

/** Something that a person may look for. The element of its section that it is has `data-setting` with its id. */
export interface Setting {
  id: string
  title: string
  /** What else people call it. */
  words?: string
}

/** One file of `sections/`, named by its id, exports one as `section`. */
export interface SettingsSection {
  order: number
  title: () => string
  icon: LucideIcon
  /** What people call it besides its title. */
  words: () => string
  settings: () => Setting[]
  /** Those that only the server knows, asked for when somebody searches. */
  find?: (api: Api) => Promise<Setting[]>
  Component: ComponentType
}

/** A section or a setting of one, as the search knows it. */
export interface Searchable {
  /** `section` or `section/setting`. */
  at: string
  title: string
  section: string
  words: string
}

export function searchable(section: { id: string; title: string; words: string }, settings: Setting[]): Searchable[] {
  return [
    { at: section.id, title: section.title, section: section.title, words: section.words },
    ...settings.map(({ id, title, words = '' }) => ({
      at: `${section.id}/${id}`,
      title,
      section: section.title,
      words,
    })),
  ]
}

/** Those that have every word somewhere; the more of them in the title, and the earlier, the further up. */
export function findSettings(all: readonly Searchable[], query: string): Searchable[] {
  const words = query
    .toLowerCase()
    .split(/\s+/)
    .filter((word) => word !== '')
  if (words.length === 0) return []
  const scored = all.flatMap((one) => {
    const title = one.title.toLowerCase()
    const rest = `${one.section} ${one.words}`.toLowerCase()
    let score = 0
    for (const word of words) {
      const place = title.indexOf(word)
      if (place === 0) score += 4
      else if (place > 0) score += /[\s\p{P}]/u.test(title.charAt(place - 1)) ? 3 : 2
      else if (rest.includes(word)) score += 1
      else return []
    }
    return [{ one, score }]
  })
  return scored.toSorted((a, b) => b.score - a.score).map(({ one }) => one)
}
