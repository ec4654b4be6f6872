import { useMemo, useRef } from 'react'
import { useStore } from 'zustand'
import { Button } from '../ui/button.tsx'
import { Dialog } from '../ui/dialog.tsx'
import { useApp, useWorkspace } from '../workspace.ts'
import { CacheNote } from './cache-note.tsx'
import { ContextPieces } from './context-pieces.tsx'
import { ContextWindow } from './context-window.tsx'
import { useContextInfo } from './use-context-info.ts'
import './context-dialog.css'

/** What the next call of the session in sight will be made of, piece by piece. */
export function ContextDialog() {
  const workspace = useWorkspace()
  const sessionId = useApp((state) => state.sessionId)
  const session = useMemo(() => workspace.session(sessionId), [workspace, sessionId])
  const messages = useStore(session, (state) => state.messages)
  const isRunning = useStore(session, (state) => state.run !== null)
  const unsentId = useStore(session, (state) => state.unsent?.messageId)
  const leaf = messages.findLast(({ id }) => id !== unsentId)?.id
  const { info, failure } = useContextInfo(sessionId, leaf)
  const dialog = useRef<HTMLDialogElement>(null)

  return (
    <Dialog ref={dialog} title="Context X-ray" className="context" onClose={() => workspace.app.setDialog(null)}>
      <p className="context-note">
        What the next call will send, as far as it is known before you say something. Tokens are estimates; prices are
        those of tokens that come from no cache.
      </p>
      {failure !== null && (
        <p className="context-failure" role="alert">
          {failure}
        </p>
      )}
      {isRunning && (
        <p className="context-note">An answer is being written: what it adds is counted when it is done.</p>
      )}
      {info === null && failure === null && <p className="context-note">Loading …</p>}
      {info !== null && (
        <>
          <ContextWindow info={info} />
          <CacheNote info={info} />
          <ContextPieces
            pieces={info.pieces}
            messages={messages}
            onGoTo={(messageId) => {
              dialog.current?.close()
              void session.goTo(messageId, { inSight: true })
            }}
          />
        </>
      )}
      <div className="dialog-buttons">
        <Button kind="primary" onClick={() => dialog.current?.close()}>
          Done
        </Button>
      </div>
    </Dialog>
  )
}
