import { PanelRightOpen } from 'lucide-react'
import { isRecord } from '../api/read-fields.ts'
import { GenericCard } from '../chat/parts/generic-card.tsx'
import { ToolFrame } from '../chat/parts/tool-frame.tsx'
import type { CardProps } from '../chat/session/message-parts.ts'
import { useSessionStore } from '../chat/session/session-context.ts'
import { visibleMessages } from '../chat/session/session-state.ts'
import { findChartCall } from '../page-tools/actions.ts'
import { toPanelRequest } from '../page-tools/requested-panel.ts'
import { t } from '../texts/t.ts'
import { Button } from '../ui/button.tsx'

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
        {t.panels.openInPanel}
      </Button>
    </ToolFrame>
  )
}
