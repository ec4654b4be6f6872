import { useEffect, useState } from 'react'
import { elementId, type Panel, type PanelKind } from '../state/panels-state.ts'
import { t } from '../texts/t.ts'
import { Button } from '../ui/button.tsx'
import { ErrorBoundary } from '../ui/error-boundary.tsx'

interface PanelViewProps {
  panel: Panel
  isFront: boolean
  baseId: string
}

/** Container of one panel. A background panel stays mounted only if its kind is `staysAlive`. */
export function PanelView({ panel, isFront, baseId }: PanelViewProps) {
  const [wasSeen, setWasSeen] = useState(isFront)
  if (isFront && !wasSeen) setWasSeen(true)
  return (
    <div
      className="side-panel-room"
      role="tabpanel"
      id={elementId(baseId, 'room', panel)}
      aria-labelledby={elementId(baseId, 'tab', panel)}
      hidden={!isFront}
    >
      {wasSeen && <Content panel={panel} isFront={isFront} />}
    </div>
  )
}

function Content({ panel, isFront }: { panel: Panel; isFront: boolean }) {
  const { state, again } = useKind(panel.kind)
  if (state === 'loading') return <p className="side-panel-none">{t.panels.loading}</p>
  if (state === 'unknown') return <p className="side-panel-none">{t.panels.unknown(panel.kind)}</p>
  if (state === 'failed') {
    return (
      <div className="side-panel-none">
        <p>{t.panels.notLoaded}</p>
        <Button onClick={again}>{t.panels.tryAgain}</Button>
      </div>
    )
  }
  if (!isFront && state.staysAlive !== true) return null
  return (
    <ErrorBoundary fallback={<p className="side-panel-none">{t.panels.broken}</p>}>
      <state.default panel={panel} />
    </ErrorBoundary>
  )
}

type KindState = PanelKind | 'loading' | 'unknown' | 'failed'

const loaded = new Map<string, PanelKind>()

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

// The folder is the registry and file names are kinds: `kinds/file.tsx` renders panels of kind `file`.
const kindFiles = import.meta.glob<PanelKind>('./kinds/*.tsx')
const loading = new Map<string, Promise<PanelKind | undefined>>()

/** Loads a kind on first use. Undefined if the page has no such kind. */
function loadKind(kind: string): Promise<PanelKind | undefined> {
  const known = loading.get(kind)
  if (known !== undefined) return known
  const load = kindFiles[`./kinds/${kind}.tsx`]
  const loaded = load === undefined ? Promise.resolve(undefined) : load()
  loading.set(kind, loaded)
  // The server was unreachable, so the next call retries.
  loaded.catch(() => loading.delete(kind))
  return loaded
}
