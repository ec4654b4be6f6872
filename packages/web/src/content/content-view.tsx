import { RotateCw } from 'lucide-react'
import { lazy, Suspense, useEffect, useState } from 'react'
import type { PreviewKind } from '../api/preview-kind.ts'
import { useSession } from '../chat/session/session-context.ts'
import { PathName } from '../displays/parts/display-parts.tsx'
import { errorMessage } from '../texts/format.ts'
import { t } from '../texts/t.ts'
import { Button, IconButton } from '../ui/button.tsx'
import { VisibleText } from '../ui/elements.tsx'
import { useWorkspace } from '../workspace/workspace.ts'
import { Markdown } from './markdown.tsx'
import './views.css'

export interface PreviewContent {
  kind: PreviewKind
  name: string
  text?: string
  base64?: string
}

const ChartView = lazy(() => import('./chart-view.tsx').then(({ ChartView }) => ({ default: ChartView })))
const DiagramView = lazy(() => import('./diagram-view.tsx').then(({ DiagramView }) => ({ default: DiagramView })))
const HtmlView = lazy(() => import('./preview-frame.tsx').then(({ HtmlView }) => ({ default: HtmlView })))
const JsxView = lazy(() => import('./jsx-view.tsx').then(({ JsxView }) => ({ default: JsxView })))
const SheetView = lazy(() => import('./sheet-view.tsx').then(({ SheetView }) => ({ default: SheetView })))
const SvgView = lazy(() => import('./svg-view.tsx').then(({ SvgView }) => ({ default: SvgView })))

/** Renders previewable content. `fills` stretches it to its container. */
export function ContentView({ content, fills = false }: { content: PreviewContent; fills?: boolean }) {
  const { kind, name, text = '', base64 } = content
  switch (kind) {
    case 'html':
      return <HtmlView text={text} name={name} fills={fills} />
    case 'svg':
      return <SvgView text={text} name={name} />
    case 'mermaid':
      return <DiagramView text={text} />
    case 'markdown':
      return (
        <div className="preview-document">
          <Markdown text={text} done />
        </div>
      )
    case 'csv':
      return <SheetView source={{ text }} name={name} />
    case 'xlsx':
      return <SheetView source={{ base64: base64 ?? '' }} name={name} />
    case 'jsx':
      return (
        <div className={fills ? 'preview-document preview-fill' : 'preview-document'}>
          <JsxView source={text} name={name} fills={fills} />
        </div>
      )
    case 'chart': {
      const option = parsed(text)
      if (option === undefined) return <p className="preview-note">{t.previews.invalid}</p>
      return <ChartView option={option} title={name} fills={fills} />
    }
  }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** Previews a workspace file. Reloads after each run and on request. */
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
      <div className="side-panel-head">
        <span className="side-panel-head-main">
          <PathName path={path} />
        </span>
        <IconButton label={t.previews.reload} onClick={() => setAsked(asked + 1)}>
          <RotateCw />
        </IconButton>
      </div>
      <div className="side-panel-body preview-fill">
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
