import { useEffect, useState } from 'react'
import { useWorkspace } from '../workspace.ts'
import { searchable } from './find-settings.ts'
import type { Searchable } from './find-settings.ts'
import type { Setting } from './section.ts'
import { sections } from './sections.ts'

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
