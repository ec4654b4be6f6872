import { useState } from 'react'
import { ErrorBoundary } from '../chat/card-boundary.tsx'
import { t } from '../texts/t.ts'
import { Button } from '../ui/button.tsx'
import type { Panel } from './panel.ts'
import { elementId } from './panels-state.ts'
import { useKind } from './use-kind.ts'

export interface PanelViewProps {
  panel: Panel
  isFront: boolean
  baseId: string
}

/** The room of one panel. One that is not in front is there only where its kind goes on living unseen. */
export function PanelView({ panel, isFront, baseId }: PanelViewProps) {
  const [wasSeen, setWasSeen] = useState(isFront)
  if (isFront && !wasSeen) setWasSeen(true)
  return (
    <div
      className="beside-room"
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
  if (state === 'loading') return <p className="beside-none">{t.panels.loading}</p>
  if (state === 'unknown') return <p className="beside-none">{t.panels.unknown(panel.kind)}</p>
  if (state === 'failed') {
    return (
      <div className="beside-none">
        <p>{t.panels.notLoaded}</p>
        <Button onClick={again}>{t.panels.tryAgain}</Button>
      </div>
    )
  }
  if (!isFront && state.staysAlive !== true) return null
  return (
    <ErrorBoundary fallback={<p className="beside-none">{t.panels.broken}</p>}>
      <state.default panel={panel} />
    </ErrorBoundary>
  )
}
