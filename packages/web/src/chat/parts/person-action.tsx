import { type ReactNode, useEffect, useState } from 'react'
import { isRecord, textIn } from '../../api/read-fields.ts'
import { ApiError, isUnreachable, toErrorInfo } from '../../api/request.ts'
import type { PersonCall } from '../../page-tools/page-tools.ts'
import { notice } from '../../state/notices.tsx'
import '../../texts/show-cards.ts'
import { t } from '../../texts/t.ts'
import { Button } from '../../ui/button.tsx'
import { VisibleText } from '../../ui/elements.tsx'
import { useApp, useWorkspace } from '../../workspace/workspace.ts'
import type { ToolCall } from '../session/message-parts.ts'
import { useSession } from '../session/session-context.ts'
import { useHasOpenAsk } from '../session/session-hooks.ts'
import './person-action.css'

interface PersonActionProps {
  call: ToolCall
  action: string
  label: string
  about: string
  /** Alternative, shown after a click failed. */
  otherwise?: (send: (output: unknown) => void) => ReactNode
}

/** An accepted action removes the card. If the card is still there after this time, the user may try again. */
const takenMs = 30_000

interface Doing {
  what: 'nothing' | 'acting' | 'declining' | 'taken'
  problem?: string
}

/** Action that runs only when the user clicks here, in any browser. */
export function PersonAction({ call, action, label, about, otherwise }: PersonActionProps) {
  const { app, pageTools } = useWorkspace()
  const sessionId = useSession((state) => state.sessionId)
  const [{ what: doing, problem }, setDoing] = useState<Doing>({ what: 'nothing' })
  const asked: PersonCall = { sessionId, toolCallId: call.toolCallId, action, input: call.input }
  const reason = isRecord(call.input) ? textIn(call.input['reason']) : undefined
  const run = async (what: 'acting' | 'declining', work: () => Promise<void>) => {
    const mine: Doing = { what }
    // The user may have declined in the meantime. The last click wins.
    const settle = (done: Doing) => setDoing((now) => (now === mine ? done : now))
    setDoing(mine)
    try {
      await work()
      settle({ what: 'taken' })
    } catch (error) {
      settle({ what: 'nothing', problem: problemOf(error) })
      // The card may disappear along with its message.
      if (isClosed(error)) notice(t.pageTools.closed)
    }
    // If the session is not in view, no stream reports that this ask is answered.
    void app.refreshAsks()
  }
  useEffect(() => {
    if (doing !== 'taken') return
    const timer = setTimeout(() => setDoing({ what: 'nothing' }), takenMs)
    return () => clearTimeout(timer)
  }, [doing])
  const isSending = doing === 'declining' || doing === 'taken'
  return (
    <div className="person-act">
      {reason !== undefined && (
        <p className="person-act-reason">
          <VisibleText text={reason} />
        </p>
      )}
      <p>{about}</p>
      {problem !== undefined && (
        <p className="tool-error" role="alert">
          <VisibleText text={problem} />
        </p>
      )}
      {problem !== undefined && otherwise?.((output) => void run('acting', () => pageTools.answer(asked, output)))}
      <div className="person-act-buttons">
        <Button
          kind="primary"
          disabled={doing === 'acting' || isSending}
          onClick={() => void run('acting', () => pageTools.perform(asked))}
        >
          {label}
        </Button>
        {/* Available even during an upload or a browser prompt. */}
        <Button disabled={isSending} onClick={() => void run('declining', () => pageTools.decline(asked))}>
          {t.pageTools.decline}
        </Button>
      </div>
    </div>
  )
}

function problemOf(error: unknown): string {
  if (isClosed(error)) return t.pageTools.closed
  return isUnreachable(error) ? t.pageTools.notSent : toErrorInfo(error).message
}

function isClosed(error: unknown): boolean {
  return error instanceof ApiError && error.name === 'AskClosed'
}

/**
 * True once a call waits for a user click, according to its stream or the inbox. A queued call has not asked yet, so an
 * answer would be lost.
 */
export function useAwaitsClick(call: ToolCall): boolean {
  const waits = useHasOpenAsk(call)
  const sessionId = useSession((state) => state.sessionId)
  const isInInbox = useApp(({ asks }) =>
    asks.some((ask) => ask.sessionId === sessionId && ask.toolCallId === call.toolCallId),
  )
  return call.running && call.state !== 'input-streaming' && (waits || isInInbox)
}
