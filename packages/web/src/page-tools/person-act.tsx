import { useState } from 'react'
import type { ReactNode } from 'react'
import { useSession } from '../chat/session-context.ts'
import type { ToolCall } from '../chat/tool-call.ts'
import { isRecord, textIn } from '../displays/parts/read-fields.ts'
import { t } from '../texts/t.ts'
import { Button } from '../ui/button.tsx'
import { VisibleText } from '../ui/visible-text.tsx'
import { useWorkspace } from '../workspace.ts'
import type { PersonCall } from './page-tools.ts'
import './person-act.css'

export interface PersonActProps {
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

/** Something that happens only when the person clicks here. */
export function PersonAct({ call, action, label, about, otherwise }: PersonActProps) {
  const { app, pageTools } = useWorkspace()
  const sessionId = useSession((state) => state.sessionId)
  const [state, setState] = useState<'ready' | 'busy' | { problem: string }>('ready')
  const asked: PersonCall = { sessionId, toolCallId: call.toolCallId, action, input: call.input }
  const reason = isRecord(call.input) ? textIn(call.input['reason']) : undefined
  const run = async (work: () => Promise<void>) => {
    setState('busy')
    try {
      await work()
      // Where the session is not in sight nobody else tells that this has its answer.
      void app.refreshAsks()
    } catch (error) {
      setState({ problem: error instanceof Error ? error.message : String(error) })
    }
  }
  return (
    <div className="person-act">
      {reason !== undefined && (
        <p className="person-act-reason">
          <VisibleText text={reason} />
        </p>
      )}
      <p>{about}</p>
      {typeof state === 'object' && (
        <p className="tool-error" role="alert">
          {state.problem}
        </p>
      )}
      {typeof state === 'object' && otherwise?.((output) => void run(() => pageTools.answer(asked, output)))}
      <div className="person-act-buttons">
        <Button kind="primary" disabled={state === 'busy'} onClick={() => void run(() => pageTools.perform(asked))}>
          {label}
        </Button>
        <Button disabled={state === 'busy'} onClick={() => void run(() => pageTools.decline(asked))}>
          {t.pageTools.decline}
        </Button>
      </div>
    </div>
  )
}
