import { lazy, Suspense, useMemo } from 'react'
import { ValueView } from '../chat/value-view.tsx'
import { readChart } from '../previews/read-chart.ts'
import { t } from '../texts/t.ts'
import type { DisplayProps } from './parts/display-props.ts'

const ChartView = lazy(() => import('../previews/chart-view.tsx').then(({ ChartView }) => ({ default: ChartView })))

/** Worth seeing without being asked for. */
export const opens = true

/** A chart of any tool: `option` (of ECharts, data only), `title`, `height`. */
export default function ChartDisplay({ content }: DisplayProps) {
  const chart = useMemo(() => readChart(content), [content])
  if (chart === undefined) return <ValueView value={content} />
  return (
    <Suspense fallback={<p className="tool-remark">{t.previews.loading}</p>}>
      <ChartView
        option={chart.option}
        title={chart.title ?? t.previews.chart}
        {...(chart.height !== undefined && { height: chart.height })}
      />
    </Suspense>
  )
}
