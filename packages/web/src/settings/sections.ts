import { useEffect, useMemo, useState } from 'react'
import { create } from 'zustand'
import { useMay } from '../state/team.tsx'
import { useWorkspace } from '../workspace/workspace.ts'
import { searchable, type Searchable, type Setting, type SettingsSection } from './section.ts'

export interface NamedSection extends SettingsSection {
  id: string
}

const files = import.meta.glob<SettingsSection>('./sections/*.tsx', { eager: true, import: 'section' })

const ownSections: readonly NamedSection[] = Object.entries(files).map(([file, section]) => ({
  ...section,
  id: file.slice(file.lastIndexOf('/') + 1, -'.tsx'.length),
}))

const useAdded = create<{ sections: readonly NamedSection[] }>(() => ({ sections: [] }))

/** Adds sections of a part of the page that not everybody has. */
export function addSections(sections: readonly NamedSection[]): void {
  useAdded.setState({ sections })
}

export function useSections(): readonly NamedSection[] {
  const added = useAdded((state) => state.sections)
  const mayWrite = useMay('write')
  const mayManage = useMay('manage')
  return useMemo(() => {
    const may = { write: mayWrite, manage: mayManage }
    const own = ownSections.filter(({ needs }) => needs === undefined || may[needs])
    return [...own, ...added].toSorted((one, other) => one.order - other.order)
  }, [added, mayWrite, mayManage])
}

/** Search index: local settings, plus the server's once the user searches. */
export function useSearchables(isSearching: boolean): Searchable[] {
  const { api } = useWorkspace()
  const sections = useSections()
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
  }, [api, isSearching, sections])
  return sections.flatMap(({ id, title, words, settings }) =>
    searchable({ id, title: title(), words: words() }, [...settings(), ...(found[id] ?? [])]),
  )
}
