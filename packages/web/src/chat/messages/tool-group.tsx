import { ChevronRight } from 'lucide-react'
import { type ReactNode, useId } from 'react'
import { formatDuration, isLong } from '../../texts/format.ts'
import { t } from '../../texts/t.ts'
import { Group, VisibleText } from '../../ui/elements.tsx'
import { callNotes, type ToolCallPart } from '../session/message-parts.ts'
import { GroupedContext, useDisclosure } from '../session/session-context.ts'
import './tool-group.css'
import { summarizeCalls } from './tool-groups.ts'

/** Finished tool calls as one line. The user opens it to see each of them. */
export function ToolGroup({ calls, children }: { calls: readonly ToolCallPart[]; children: () => ReactNode }) {
  const [open, setOpen] = useDisclosure(`group ${calls[0]?.toolCallId}`, false)
  const bodyId = useId()
  const totalMs = calls.reduce((sum, call) => sum + (callNotes(call).elapsedMs ?? 0), 0)
  return (
    <Group
      className="tool-group"
      label={t.calls.group(calls.length)}
      data-calls={calls.map(({ toolCallId }) => toolCallId).join(' ')}
    >
      <button
        type="button"
        className="tool-group-head"
        aria-expanded={open}
        aria-controls={bodyId}
        onClick={() => setOpen(!open)}
      >
        <ChevronRight aria-hidden />
        <span>
          <VisibleText text={summarizeCalls(calls)} as="name" />
        </span>
        {isLong(totalMs) && <small>{formatDuration(totalMs)}</small>}
      </button>
      <div id={bodyId} className="tool-group-body" hidden={!open}>
        {open && <GroupedContext value>{children()}</GroupedContext>}
      </div>
    </Group>
  )
}
