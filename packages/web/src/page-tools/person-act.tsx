import { useEffect, useState } from 'react'
import type { ReactNode } from 'react'
import { ApiError, isUnreachable, toErrorInfo } from '../api/api-error.ts'
import { useSession } from '../chat/session-context.ts'
import type { ToolCall } from '../chat/tool-call.ts'
import { isRecord, textIn } from '../displays/parts/read-fields.ts'
import { t } from '../texts/t.ts'
import { Button } from '../ui/button.tsx'
import { notice } from '../ui/notices.tsx'
import { VisibleText } from '../ui/visible-text.tsx'
import { useWorkspace } from '../workspace.ts'
import type { PersonCall } from './page-tools.ts'
import './person-act.css'

export interface PersonActionProps {
  call: ToolCall
  /** The file in `actions/`. */
  action: string
  /** What the button says. */
  label: string
  /** What is said above it. */
  about: string
  /** Another way, once the click did not work. */
  otherwise?: (send: (output: unknown) => void) => ReactNode
}

/** Once it is taken the card goes; where it does not, nothing has come of it and they may try again. */
const takenMs = 30_000

interface Doing {
  what: 'nothing' | 'acting' | 'declining' | 'taken'
  /** What came of the last click, where it did not work. */
  problem?: string
}

/** Something that happens only when the person clicks here, in whatever browser they sit. */
export function PersonAction({ call, action, label, about, otherwise }: PersonActionProps) {
  const { app, pageTools } = useWorkspace()
  const sessionId = useSession((state) => state.sessionId)
  const [{ what: doing, problem }, setDoing] = useState<Doing>({ what: 'nothing' })
  const asked: PersonCall = { sessionId, toolCallId: call.toolCallId, action, input: call.input }
  const reason = isRecord(call.input) ? textIn(call.input['reason']) : undefined
  const run = async (what: 'acting' | 'declining', work: () => Promise<void>) => {
    const mine: Doing = { what }
    // They may have declined meanwhile: what counts is the last click.
    const settle = (done: Doing) => setDoing((now) => (now === mine ? done : now))
    setDoing(mine)
    try {
      await work()
      settle({ what: 'taken' })
    } catch (error) {
      settle({ what: 'nothing', problem: problemOf(error) })
      // The card may go with what it says.
      if (isClosed(error)) notice(t.pageTools.closed)
    }
    // Where the session is not in sight nobody else tells that this has its answer.
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
        {/* Also while files are on their way, or a question of the browser's is open. */}
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
