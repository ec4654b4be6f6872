import { useState } from 'react'
import { keptByTab } from '../api/kept.ts'
import type { AgentDraft } from './agent-draft.ts'

export interface KeptDraft {
  draft: AgentDraft
  setDraft: (draft: AgentDraft) => void
  /** It was written earlier and never saved. */
  isBack: boolean
  forget: () => void
}

/** A draft that outlives the dialog: a click beside it must not lose what was written. */
export function useKeptDraft(name: string, initial: AgentDraft): KeptDraft {
  const key = `troupe.agent.${name}`
  const [kept] = useState(() => read(key, initial))
  const [draft, setDraft] = useState(kept ?? initial)
  return {
    draft,
    setDraft: (next) => {
      keptByTab.set(key, JSON.stringify(next))
      setDraft(next)
    },
    isBack: kept !== undefined,
    forget: () => keptByTab.set(key, null),
  }
}

/** What a page of before did not know of is as it was. */
function read(key: string, initial: AgentDraft): AgentDraft | undefined {
  const kept = keptByTab.get(key)
  return kept === null ? undefined : { ...initial, ...(JSON.parse(kept) as Partial<AgentDraft>) }
}
