import { PanelRightOpen } from 'lucide-react'
import { GenericCard } from '../chat/generic-card.tsx'
import { useSessionStore } from '../chat/session-context.ts'
import { visibleMessages } from '../chat/session-state.ts'
import type { CardProps } from '../chat/tool-call.ts'
import { ToolFrame } from '../chat/tool-frame.tsx'
import { isRecord } from '../displays/parts/read-fields.ts'
import { findChartCall } from '../page-tools/chart-named.ts'
import { toPanelRequest } from '../page-tools/requested-panel.ts'
import { t } from '../texts/t.ts'
import { Button } from '../ui/button.tsx'

/** A panel that was shown; a click shows it again. */
export default function ShowPanelCard({ call }: CardProps) {
  const { panels, agents, getState } = useSessionStore()
  const shown = isRecord(call.output) && isRecord(call.output['content']) ? { content: call.output['content'] } : {}
  const request = isRecord(call.input)
    ? toPanelRequest(
        { ...call.input, ...shown },
        {
          toolCallId: call.toolCallId,
          agentName: (agentId) => agents.getState().agents.get(agentId)?.name,
          chartNamed: (title) => findChartCall(visibleMessages(getState()), title),
        },
      )
    : undefined
  if (request === undefined || call.state !== 'output-available') return <GenericCard call={call} />
  return (
    <ToolFrame call={call}>
      <Button onClick={() => panels.open(request)}>
        <PanelRightOpen aria-hidden />
        {t.panels.openBeside}
      </Button>
    </ToolFrame>
  )
}
