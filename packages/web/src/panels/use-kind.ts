import { useEffect, useState } from 'react'
import type { PanelKind } from './panel.ts'
import { loadKind } from './panel-kinds.ts'

export type KindState = PanelKind | 'loading' | 'unknown' | 'failed'

const loaded = new Map<string, PanelKind>()

/** The file of a kind, once it is there; `again` tries anew where it could not be loaded. */
export function useKind(kind: string): { state: KindState; again: () => void } {
  const [found, setFound] = useState<{ kind: string; state: KindState }>()
  const [tries, setTries] = useState(0)
  const known = loaded.get(kind)
  useEffect(() => {
    if (loaded.has(kind)) return
    let isWanted = true
    loadKind(kind).then(
      (file) => {
        if (file !== undefined) loaded.set(kind, file)
        if (isWanted) setFound({ kind, state: file ?? 'unknown' })
      },
      () => {
        if (isWanted) setFound({ kind, state: 'failed' })
      },
    )
    return () => {
      isWanted = false
    }
  }, [kind, tries])
  const state = known ?? (found?.kind === kind ? found.state : 'loading')
  return {
    state,
    again: () => {
      setFound(undefined)
      setTries(tries + 1)
    },
  }
}
