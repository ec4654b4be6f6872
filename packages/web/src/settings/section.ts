import type { LucideIcon } from 'lucide-react'
import type { ComponentType } from 'react'
import type { Api } from '../api/api.ts'
import type { RoleNeed } from '../state/team.tsx'

/** Searchable setting. Its element has `data-setting` with its ID. */
export interface Setting {
  id: string
  title: string
  /** Search synonyms. */
  words?: string
}

/** Each file in `sections/` exports one as `section`, named after its ID. */
export interface SettingsSection {
  order: number
  /** In a team, only for people who may do this. */
  needs?: RoleNeed
  title: () => string
  icon: LucideIcon
  /** Search synonyms besides the title. */
  words: () => string
  settings: () => Setting[]
  /** Settings only the server knows, loaded on search. */
  find?: (api: Api) => Promise<Setting[]>
  Component: ComponentType
}

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

/** Returns entries that contain every word. Ranks by number and position of matches in the title. */
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
