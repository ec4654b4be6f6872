import type { NoteKind } from './page-attributes.ts'

const sentences: Record<NoteKind, (names: string) => string> = {
  handler: (names) => `Handlers must be functions, such as onClick={() => …}. Removed: ${names}.`,
  attribute: (names) => `Unknown attributes were removed: ${names}.`,
  tag: (names) => `Tags that are not allowed were removed: ${names}.`,
  style: (names) => `Styles that load something or cannot be read were removed: ${names}.`,
  link: (names) => `Links must start with https://, http://, mailto:, tel: or #. Removed: ${names}.`,
  image: (names) =>
    `Images from the web are not loaded; a gray box stands for them: ${names}. Use inline SVG or data:image/…`,
  icon: (names) => `These icons are not in the set; a circle stands for them: ${names}.`,
  class: (names) => `Unknown classes were ignored: ${names}.`,
}

const maxNames = 12

export interface NoteList {
  note(kind: NoteKind, detail: string): void
  texts(): string[]
}

/** Omitted parts of a page, one sentence per kind. */
export function createNotes(): NoteList {
  const found = new Map<NoteKind, Map<string, number>>()
  return {
    note(kind, detail) {
      const names = found.get(kind) ?? new Map<string, number>()
      if (names.size < 500) names.set(detail, (names.get(detail) ?? 0) + 1)
      found.set(kind, names)
    },
    texts: () =>
      [...found].map(([kind, names]) => {
        const shown = [...names].slice(0, maxNames).map(([name, count]) => (count > 1 ? `${name} (${count})` : name))
        const more = names.size - shown.length
        return sentences[kind](more > 0 ? `${shown.join(', ')} and ${more} more` : shown.join(', '))
      }),
  }
}
