import { useEffect, useState } from 'react'
import { useWorkspace } from '../workspace/workspace.ts'
import { searchable, type Searchable, type Setting, type SettingsSection } from './section.ts'

interface NamedSection extends SettingsSection {
  id: string
}

const files = import.meta.glob<SettingsSection>('./sections/*.tsx', { eager: true, import: 'section' })

export const sections: readonly NamedSection[] = Object.entries(files)
  .map(([file, section]) => ({ ...section, id: file.slice(file.lastIndexOf('/') + 1, -'.tsx'.length) }))
  .toSorted((one, other) => one.order - other.order)

/** Search index: local settings, plus the server's once the user searches. */
export function useSearchables(isSearching: boolean): Searchable[] {
  const { api } = useWorkspace()
  const [found, setFound] = useState<Record<string, Setting[]>>({})
  useEffect(() => {
    if (!isSearching) return
    for (const { id, find } of sections) {
      // Each section reports its own loading errors. The others stay searchable.
      void find?.(api).then(
        (settings) => setFound((before) => ({ ...before, [id]: settings })),
        () => undefined,
      )
    }
  }, [api, isSearching])
  return sections.flatMap(({ id, title, words, settings }) =>
    searchable({ id, title: title(), words: words() }, [...settings(), ...(found[id] ?? [])]),
  )
}
