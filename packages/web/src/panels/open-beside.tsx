import { PanelRightOpen } from 'lucide-react'
import { use } from 'react'
import { SessionContext } from '../chat/session-context.ts'
import type { ToolCall } from '../chat/tool-call.ts'
import { t } from '../texts/t.ts'
import { IconButton } from '../ui/icon-button.tsx'
import { panelForCall } from './panel-of-call.ts'

/** Shows what a call has brought beside the chat, where there is a panel for it. */
export function OpenInPanel({ call }: { call: ToolCall }) {
  const store = use(SessionContext)
  const request = panelForCall(call)
  if (store === null || request === undefined) return null
  return (
    <IconButton className="tool-beside" label={t.panels.openBeside} onClick={() => store.panels.open(request)}>
      <PanelRightOpen />
    </IconButton>
  )
}
