import { lazy } from 'react'
import type { PreviewKind } from '../api/preview-kind.ts'
import { t } from '../texts/t.ts'
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

interface ContentViewProps {
  content: PreviewContent
  /** Stretches it to its container. */
  fills?: boolean
  /** Runs an interactive page at once. */
  runs?: boolean
}

/** Renders previewable content. */
export function ContentView({ content, fills = false, runs = false }: ContentViewProps) {
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
          <JsxView key={text} source={text} name={name} fills={fills} runs={runs} />
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
