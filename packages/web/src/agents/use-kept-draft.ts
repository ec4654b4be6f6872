import { useState } from 'react'
import { tabStorage } from '../api/kept.ts'
import type { AgentDraft } from './agent-draft.ts'

export interface StoredDraft {
  draft: AgentDraft
  setDraft: (draft: AgentDraft) => void
  /** It was written earlier and never saved. */
  isBack: boolean
  forget: () => void
}

/** A draft that outlives the dialog: a click beside it must not lose what was written. */
export function useStoredDraft(name: string, initial: AgentDraft): StoredDraft {
  const key = `troupe.agent.${name}`
  const [kept] = useState(() => readStoredDraft(key, initial))
  const [draft, setDraft] = useState(kept ?? initial)
  return {
    draft,
    setDraft: (next) => {
      tabStorage.set(key, JSON.stringify(next))
      setDraft(next)
    },
    isBack: kept !== undefined,
    forget: () => tabStorage.set(key, null),
  }
}

/** What a page of before did not know of is as it was. */
function readStoredDraft(key: string, initial: AgentDraft): AgentDraft | undefined {
  const kept = tabStorage.get(key)
  return kept === null ? undefined : { ...initial, ...(JSON.parse(kept) as Partial<AgentDraft>) }
}
