import { PanelRightOpen } from 'lucide-react'
import { lazy, Suspense, useMemo } from 'react'
import { GenericCard } from '../chat/parts/generic-card.tsx'
import { ToolFrame } from '../chat/parts/tool-frame.tsx'
import type { CardProps } from '../chat/session/message-parts.ts'
import { useSessionStore } from '../chat/session/session-context.ts'
import { type Chart, readChart } from '../displays/chart.tsx'
import { t } from '../texts/t.ts'
import { Button } from '../ui/button.tsx'

/** Largest chart option stored with a panel, in characters of JSON. */
const mostKept = 50_000

const ChartView = lazy(() => import('../content/chart-view.tsx').then(({ ChartView }) => ({ default: ChartView })))

export default function ChartRenderCard({ call }: CardProps) {
  const { panels } = useSessionStore()
  const input = call.notes.executedInput ?? call.input
  const chart = useMemo(() => readChart(input), [input])
  if (call.state !== 'output-available' || chart === undefined) return <GenericCard call={call} />
  const title = chart.title ?? t.previews.chart
  const { toolCallId } = call
  return (
    <ToolFrame call={call} open>
      <Suspense fallback={<p className="tool-remark">{t.previews.loading}</p>}>
        <ChartView option={chart.option} title={title} {...(chart.height !== undefined && { height: chart.height })} />
      </Suspense>
      <div className="preview-actions">
        <Button
          kind="quiet"
          onClick={() => panels.open({ kind: 'chart', key: toolCallId, title, data: { toolCallId, ...kept(chart) } })}
        >
          <PanelRightOpen aria-hidden />
          {t.panels.openInPanel}
        </Button>
      </div>
    </ToolFrame>
  )
}

/** Stores the chart with the panel, for when its tool call is not loaded. */
function kept({ option, title }: Chart): Partial<Chart> {
  return JSON.stringify(option).length <= mostKept ? { option, title } : {}
}
