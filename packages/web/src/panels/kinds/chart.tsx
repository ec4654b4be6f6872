import { ChartColumn } from 'lucide-react'
import { useMemo } from 'react'
import { isRecord, textIn } from '../../api/read-fields.ts'
import { isToolCall } from '../../chat/session/message-parts.ts'
import { useSession } from '../../chat/session/session-context.ts'
import { ChartView } from '../../content/chart-view.tsx'
import { readChart } from '../../displays/chart.tsx'
import type { PanelProps } from '../../state/panels-state.ts'
import { t } from '../../texts/t.ts'

export { ChartColumn as Icon }
export const staysAlive = true

/** Chart of a loaded call (`toolCallId`), or else as given (`option`). */
export default function ChartPanel({ panel }: PanelProps) {
  const toolCallId = textIn(panel.data['toolCallId'])
  const input = useSession((state) => {
    const messages = [...state.messages, ...(state.run?.answer == null ? [] : [state.run.answer])]
    for (const { parts } of messages) {
      const call = parts.find((part) => isToolCall(part) && part.toolCallId === toolCallId)
      if (call !== undefined && isToolCall(call)) return call.input
    }
    return undefined
  })
  const given = input ?? (isRecord(panel.data['option']) ? panel.data : undefined)
  const chart = useMemo(() => (given === undefined ? undefined : readChart(given)), [given])
  if (chart === undefined) return <p className="side-panel-none">{t.previews.noPreview}</p>
  return <ChartView option={chart.option} title={chart.title ?? panel.title} fills />
}
