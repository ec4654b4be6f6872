import { Ban, Check, ChevronRight, CircleAlert, CircleStop, Hand, LoaderCircle } from 'lucide-react'
import { type ReactNode, useId } from 'react'
import { OpenInPanel } from '../../panels/open-in-panel.tsx'
import { formatDuration, isLong } from '../../texts/format.ts'
import { translateServerText } from '../../texts/server-texts.ts'
import '../../texts/show-cards.ts'
import { useNoApproval } from '../../state/team.tsx'
import { t } from '../../texts/t.ts'
import { Group, VisibleText } from '../../ui/elements.tsx'
import type { ToolCall } from '../session/message-parts.ts'
import { useDisclosure, useSession } from '../session/session-context.ts'
import './tool-frame.css'

export interface ToolFrameProps {
  call: ToolCall
  title?: ReactNode
  summary?: ReactNode
  /** Initially open. The user's choice wins. */
  open?: boolean
  /** Keeps the frame open after `open` turns false, so that nothing vanishes while the user reads. */
  keepsOpen?: boolean
  /** True if the result reports a failure. */
  isBad?: boolean
  children?: ReactNode
}

export function ToolFrame({
  call,
  title = call.title,
  summary = call.summary,
  open: byDefault = false,
  keepsOpen = false,
  isBad = false,
  children,
}: ToolFrameProps) {
  const [open, setOpen] = useDisclosure(call.disclosure ?? call.toolCallId, byDefault, { keeps: keepsOpen })
  const bodyId = useId()
  const isForOthers = useNoApproval(useSession((state) => state.sessionId)) !== undefined
  const { word, icon } = statusOf(call, isBad, isForOthers)
  return (
    <Group className={`tool tool-${call.stopped ? 'stopped' : call.state}`} label={`${call.name}: ${word}`}>
      <div className="tool-bar">
        <button
          type="button"
          className="tool-head"
          aria-expanded={open}
          aria-controls={bodyId}
          onClick={() => setOpen(!open)}
        >
          <span className="tool-icon">{icon}</span>
          <span className="tool-title">{visible(title)}</span>
          {summary !== undefined && <span className="tool-summary">{visible(summary)}</span>}
          <span className="tool-facts">
            {call.state !== 'output-available' && <span className="tool-status">{word}</span>}
            {isLong(call.notes.elapsedMs) && <span>{formatDuration(call.notes.elapsedMs)}</span>}
          </span>
          <ChevronRight className="tool-chevron" aria-hidden />
        </button>
        <OpenInPanel call={call} />
      </div>
      {!open && call.errorText !== undefined && !call.stopped && (
        <p className="tool-error-line">
          <VisibleText text={firstLine(translateServerText(call.errorText, 'text'))} as="name" />
        </p>
      )}
      <div id={bodyId} className="tool-body" hidden={!open}>
        {open && children}
      </div>
    </Group>
  )
}

function visible(shown: ReactNode): ReactNode {
  return typeof shown === 'string' ? <VisibleText text={shown} as="name" /> : shown
}

function firstLine(text: string): string {
  return text.trim().split('\n', 1)[0]?.slice(0, 300) ?? ''
}

function statusOf(call: ToolCall, isBad: boolean, isForOthers: boolean): { word: string; icon: ReactNode } {
  if (call.running) {
    const word = call.state === 'input-streaming' ? t.calls.preparing : t.calls.running
    return { word, icon: <LoaderCircle className="spinning" aria-hidden /> }
  }
  if (call.stopped) return { word: t.calls.stopped, icon: <CircleStop aria-hidden /> }
  switch (call.state) {
    case 'approval-requested':
      return { word: isForOthers ? t.calls.needsOthers : t.calls.needsApproval, icon: <Hand aria-hidden /> }
    case 'output-available':
      return {
        word: t.calls.done,
        icon: isBad ? <CircleAlert className="tool-bad" aria-hidden /> : <Check aria-hidden />,
      }
    case 'output-error':
      return { word: t.calls.failed, icon: <CircleAlert aria-hidden /> }
    case 'output-denied':
      return {
        word: call.approval?.isAutomatic === true ? t.calls.notAllowed : t.calls.denied,
        icon: <Ban aria-hidden />,
      }
    default:
      return { word: t.calls.notFinished, icon: <CircleAlert aria-hidden /> }
  }
}
