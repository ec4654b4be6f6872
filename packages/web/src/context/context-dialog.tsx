import { useMemo, useRef } from 'react'
import { useStore } from 'zustand'
import { t } from '../texts/t.ts'
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
    <Dialog ref={dialog} title={t.context.title} className="context" onClose={() => workspace.app.setDialog(null)}>
      <p className="context-note">{t.context.about}</p>
      {failure !== null && (
        <p className="context-failure" role="alert">
          {failure}
        </p>
      )}
      {isRunning && <p className="context-note">{t.context.running}</p>}
      {info === null && failure === null && <p className="context-note">{t.ui.loading}</p>}
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
          {t.ui.done}
        </Button>
      </div>
    </Dialog>
  )
}
