import { useState } from 'react'
import { keptByTab } from '../api/kept.ts'
import type { AgentDraft } from './agent-draft.ts'

/** A draft that outlives the dialog: a click beside it must not lose what was written. `name` is empty for a new one. */
export function useKeptDraft(name: string, initial: AgentDraft): [AgentDraft, (draft: AgentDraft) => void, () => void] {
  const key = `troupe.agent.${name}`
  const [draft, setDraft] = useState(() => read(key) ?? initial)
  const keep = (next: AgentDraft) => {
    keptByTab.set(key, JSON.stringify(next))
    setDraft(next)
  }
  return [draft, keep, () => keptByTab.set(key, null)]
}

function read(key: string): AgentDraft | undefined {
  const kept = keptByTab.get(key)
  return kept === null ? undefined : (JSON.parse(kept) as AgentDraft)
}
