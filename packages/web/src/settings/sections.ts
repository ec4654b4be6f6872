import { useEffect, useState } from 'react'
import { useWorkspace } from '../workspace/workspace.ts'
import { searchable, type Searchable, type Setting, type SettingsSection } from './section.ts'

interface NamedSection extends SettingsSection {
  id: string
}

const files = import.meta.glob<SettingsSection>('./sections/*.tsx', { eager: true, import: 'section' })

/** Every file of the folder is a section, in the order that they name. */
export const sections: readonly NamedSection[] = Object.entries(files)
  .map(([file, section]) => ({ ...section, id: file.slice(file.lastIndexOf('/') + 1, -'.tsx'.length) }))
  .toSorted((one, other) => one.order - other.order)

/** Everything that can be found: what the page knows, and once somebody searches what the server knows as well. */
export function useSearchables(isSearching: boolean): Searchable[] {
  const { api } = useWorkspace()
  const [found, setFound] = useState<Record<string, Setting[]>>({})
  useEffect(() => {
    if (!isSearching) return
    for (const { id, find } of sections) {
      // What cannot be read is said in its section; the others are found all the same.
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
