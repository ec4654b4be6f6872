import { RotateCw } from 'lucide-react'
import { Suspense, useEffect, useState } from 'react'
import { useSession } from '../chat/session-context.ts'
import { PathName } from '../displays/parts/path-name.tsx'
import { t } from '../texts/t.ts'
import { Button } from '../ui/button.tsx'
import { errorMessage } from '../ui/error-text.ts'
import { IconButton } from '../ui/icon-button.tsx'
import { VisibleText } from '../ui/visible-text.tsx'
import { useWorkspace } from '../workspace.ts'
import { ContentView, type PreviewContent } from './content-view.tsx'

/** A file of the session's workspace as it is meant to be seen; read anew when a run has ended, and when asked to. */
export function FilePreview({ path, waits = false }: { path: string; waits?: boolean }) {
  const { api } = useWorkspace()
  const sessionId = useSession((state) => state.sessionId)
  const works = useSession((state) => state.run !== null)
  const [asked, setAsked] = useState(0)
  const [wanted, setWanted] = useState(!waits)
  const [state, setState] = useState<{ content?: PreviewContent; problem?: string }>({})
  useEffect(() => {
    const controller = new AbortController()
    api.preview(sessionId, path, controller.signal).then(
      (preview) => setState({ content: { ...preview, name: preview.path.slice(preview.path.lastIndexOf('/') + 1) } }),
      (error: unknown) => controller.signal.aborted || setState({ problem: errorMessage(error) }),
    )
    return () => controller.abort()
  }, [api, sessionId, path, works, asked])
  return (
    <>
      <div className="beside-head">
        <span className="beside-head-main">
          <PathName path={path} />
        </span>
        <IconButton label={t.previews.reload} onClick={() => setAsked(asked + 1)}>
          <RotateCw />
        </IconButton>
      </div>
      <div className="beside-body preview-fill">
        {state.problem !== undefined && (
          <p className="preview-note" role="note">
            <VisibleText text={state.problem} />
          </p>
        )}
        {state.content?.kind === 'html' && !wanted && (
          <p className="preview-note">
            <Button onClick={() => setWanted(true)}>{t.previews.preview}</Button>
          </p>
        )}
        {state.content !== undefined && (state.content.kind !== 'html' || wanted) && (
          <Suspense fallback={<p className="preview-note">{t.previews.loading}</p>}>
            <ContentView content={state.content} fills />
          </Suspense>
        )}
      </div>
    </>
  )
}
