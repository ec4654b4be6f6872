import { lazy, Suspense, useMemo } from 'react'
import { isRecord, numberIn, textIn } from '../api/read-fields.ts'
import { t } from '../texts/t.ts'
import { ValueView } from './parts/display-parts.tsx'
import type { DisplayProps } from './parts/display-registry.ts'

const ChartView = lazy(() => import('../content/chart-view.tsx').then(({ ChartView }) => ({ default: ChartView })))

export const opens = true

/** Chart of any tool: `option` (of ECharts, data only), `title`, `height`. */
export default function ChartDisplay({ content }: DisplayProps) {
  const chart = useMemo(() => readChart(content), [content])
  if (chart === undefined) return <ValueView value={content} />
  return (
    <Suspense fallback={<p className="tool-remark">{t.previews.loading}</p>}>
      <ChartView
        option={chart.option}
        title={chart.title ?? t.previews.chart}
        isTitled={chart.title !== undefined}
        {...(chart.height !== undefined && { height: chart.height })}
      />
    </Suspense>
  )
}

export interface Chart {
  option: unknown
  title?: string
  height?: number
}

/** Parses the input of `ChartRender`. The option may be JSON text. Undefined if there is none yet. */
export function readChart(input: unknown): Chart | undefined {
  if (!isRecord(input)) return undefined
  const option = optionIn(input['option'])
  const [title, height] = [textIn(input['title']), numberIn(input['height'])]
  if (option === undefined) return undefined
  return {
    option,
    title,
    height: height === undefined ? undefined : Math.min(1000, Math.max(120, height)),
  }
}

function optionIn(given: unknown): unknown {
  if (isRecord(given)) return given
  if (typeof given !== 'string') return undefined
  try {
    return JSON.parse(given) as unknown
  } catch {
    return undefined
  }
}
