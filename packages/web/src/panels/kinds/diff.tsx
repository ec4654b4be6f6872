import { FileDiff } from 'lucide-react'
import { textIn } from '../../api/read-fields.ts'
import { isToolCall, readToolCall } from '../../chat/session/message-parts.ts'
import { useSession } from '../../chat/session/session-context.ts'
import { visibleMessages } from '../../chat/session/session-state.ts'
import { findDisplay } from '../../displays/parts/display-registry.ts'
import type { PanelProps } from '../../state/panels-state.ts'
import { t } from '../../texts/t.ts'

export { FileDiff as Icon }

/** Changes of a call: its `content`, or the call that has it (`toolCallId`). */
export default function DiffPanel({ panel }: PanelProps) {
  const toolCallId = textIn(panel.data['toolCallId'])
  const found = useSession((state) => {
    if (panel.data['content'] !== undefined) return panel.data['content']
    const part = visibleMessages(state)
      .flatMap(({ parts }) => parts)
      .filter(isToolCall)
      .find((one) => one.toolCallId === toolCallId)
    if (part === undefined) return undefined
    return readToolCall(part, { progress: undefined, live: false, latest: false }).notes.display?.content
  })
  const display = findDisplay(found)
  if (display === undefined) return <p className="side-panel-none">{t.panels.changesGone}</p>
  return (
    <div className="side-panel-body side-panel-display">
      <display.Display content={display.content} live={false} />
    </div>
  )
}
