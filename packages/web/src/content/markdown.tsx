import { documentTitle } from '@troupe/protocol'
import { PanelRightOpen, WrapText } from 'lucide-react'
import { lazy, memo, Suspense, use, useEffect, useLayoutEffect, useRef, useState } from 'react'
import { kindOfFence, type PreviewKind } from '../api/preview-kind.ts'
import { SessionContext } from '../chat/session/session-context.ts'
import { SafeHtml } from '../markdown/safe-html.tsx'
import { createSplitter } from '../markdown/split-blocks.ts'
import { browserStorage } from '../platform/storage.ts'
import { t } from '../texts/t.ts'
import { CopyButton, IconButton } from '../ui/button.tsx'
import { ErrorBoundary } from '../ui/error-boundary.tsx'
import { Segments } from '../ui/segments.tsx'
import './markdown.css'
import './preview-button.css'

const ContentView = lazy(() => import('./content-view.tsx').then(({ ContentView }) => ({ default: ContentView })))

/** Preview of a finished code fence. */
function FencePreview({ kind, language, text }: { kind: PreviewKind; language: string; text: string }) {
  return (
    <ErrorBoundary fallback={<p className="fence-note">{t.previews.notLoaded}</p>}>
      <Suspense fallback={<p className="fence-note">{t.previews.loading}</p>}>
        <div className="fence-content">
          <ContentView content={{ kind, text, name: kind === 'chart' ? t.previews.chart : language }} />
        </div>
      </Suspense>
    </ErrorBoundary>
  )
}

/** Opens the block with its versions in a panel. Nothing outside of a chat. */
function OpenFence({ kind, text }: { kind: PreviewKind; text: string }) {
  const store = use(SessionContext)
  if (store === null || text.length > maxPanelText) return null
  const title = documentTitle(kind, text) ?? (kind === 'mermaid' ? t.previews.diagram : t.previews.preview)
  const key = `fence ${kind} ${documentTitle(kind, text) ?? text.slice(0, 200)}`
  return (
    <IconButton
      label={t.previews.openInPanel}
      onClick={() => store.panels.open({ kind: 'preview', key, title, data: { fence: kind, text } })}
    >
      <PanelRightOpen />
    </IconButton>
  )
}

/** Panels keep their data, so a longer block is only shown in the chat. */
const maxPanelText = 50_000

/** Diagrams and charts are drawn at once, other kinds on request. */
function fenceViews(kind: PreviewKind): { value: 'preview' | 'code'; label: string }[] {
  const code = { value: 'code', label: t.previews.code } as const
  if (kind === 'mermaid') return [{ value: 'preview', label: t.previews.diagram }, code]
  if (kind === 'chart') return [{ value: 'preview', label: t.previews.chart }, code]
  return [code, { value: 'preview', label: t.previews.preview }]
}

interface CodeBlockProps {
  language: string
  text: string
  /** True if the text is complete. */
  done: boolean
  /** True if the user watched it stream in. */
  live?: boolean
}

const wrapKey = 'troupe.wrap'

export const CodeBlock = memo(function CodeBlock({ language, text, done, live = false }: CodeBlockProps) {
  const [wraps, setWraps] = useState(() => browserStorage.get(wrapKey) === 'yes')
  const [chosen, setChosen] = useState<'preview' | 'code'>()
  const code = useCode(text, language, done, live)
  const kind = done ? kindOfFence(language, text) : undefined
  const views = kind === undefined ? [] : fenceViews(kind)
  const view = chosen ?? views[0]?.value ?? 'code'
  const wrap = () => {
    browserStorage.set(wrapKey, wraps ? null : 'yes')
    setWraps(!wraps)
  }
  return (
    <figure className={wraps ? 'code-block code-wraps' : 'code-block'}>
      <figcaption>
        {views.length === 0 ? (
          <span className="code-language">{language === '' ? 'text' : language}</span>
        ) : (
          <Segments label={t.previews.view} options={views} value={view} onChange={setChosen} />
        )}
        {kind !== undefined && kind !== 'chart' && <OpenFence kind={kind} text={text} />}
        <IconButton label={wraps ? t.markdown.noWrap : t.markdown.wrap} aria-pressed={wraps} onClick={wrap}>
          <WrapText />
        </IconButton>
        <CopyButton text={text} label={t.markdown.copyCode} />
      </figcaption>
      <pre tabIndex={0} hidden={view !== 'code'}>
        <code ref={code} />
      </pre>
      {kind !== undefined && view === 'preview' && <FencePreview kind={kind} language={language} text={text} />}
    </figure>
  )
})

const afterTextsMs = 150
let painter: typeof import('../markdown/highlight.ts') | undefined

/**
 * Fills an element with plain text, then highlights it once complete and the page is idle. A short streamed block is
 * highlighted together with its last line, which saves a frame.
 */
function useCode(text: string, language: string, done: boolean, live: boolean) {
  const code = useRef<HTMLElement>(null)
  const [isSeen] = useState(live)
  const isPainted = useRef(false)
  useLayoutEffect(() => {
    const painted = done && isSeen ? painter?.highlightNow(text, language) : undefined
    isPainted.current = painted !== undefined
    code.current?.replaceChildren(painted ?? text)
  }, [text, language, done, isSeen])
  useEffect(() => {
    if (!done || language === '' || isPainted.current) return
    let left = false
    const paint = async () => {
      painter = await import('../markdown/highlight.ts')
      if (left) return
      const painted = await painter.highlight(text, language)
      if (!left && painted !== undefined) code.current?.replaceChildren(painted)
    }
    // Render text first. If highlighting fails to load, plain text stays.
    const timer = setTimeout(() => void paint().catch(() => undefined), afterTextsMs)
    return () => {
      left = true
      clearTimeout(timer)
    }
  }, [text, language, done])
  return code
}

/** Renders an answer in blocks. While it grows, only the last block re-renders. */
export const Markdown = memo(function Markdown({ text, done }: { text: string; done: boolean }) {
  const [split] = useState(createSplitter)
  const blocks = split(text, done)
  return (
    <div className="prose">
      {blocks.map((block, index) =>
        block.kind === 'code' ? (
          <CodeBlock
            key={index}
            language={block.language}
            text={block.text}
            done={done || index < blocks.length - 1}
            live={!done}
          />
        ) : (
          <SafeHtml key={index} html={block.html} />
        ),
      )}
    </div>
  )
})
