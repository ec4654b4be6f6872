import type { JsxPage } from '@troupe/protocol'
import { useEffect, useMemo, useRef, useState } from 'react'
import { t } from '../texts/t.ts'
import { loadLibrary, useActiveTheme } from './load-library.ts'
import { type FrameLink, PreviewFrame } from './preview-frame.tsx'
import { appStyles, hasDarkTheme, pageContent } from './page/page-document.ts'

interface PageViewProps {
  page: JsxPage
  name: string
  fills?: boolean
}

/** A page of HTML in a sandboxed frame. Changes reach the frame without reloading it. */
export function PageView({ page, name, fills = false }: PageViewProps) {
  const theme = useActiveTheme()
  const link = useRef<FrameLink>(null)
  const [content, setContent] = useState<{ html: string; css: string; dark: boolean }>()
  const [problem, setProblem] = useState<string>()
  const [first, setFirst] = useState<typeof content>()
  useEffect(() => {
    let isLeft = false
    pageContent(page).then(
      (made) => isLeft || setContent({ ...made, dark: theme === 'dark' && hasDarkTheme(page.classes.join(' ')) }),
      () => isLeft || setProblem(t.previews.notLoaded),
    )
    return () => {
      isLeft = true
    }
  }, [page, theme])
  if (content !== undefined && first === undefined) setFirst(content)
  useEffect(() => {
    if (content !== undefined) link.current?.update(content)
  }, [content])
  const show = useMemo(() => (first === undefined ? undefined : ({ kind: 'page', ...first } as const)), [first])
  if (show === undefined) return <p className="preview-note">{problem ?? t.previews.loading}</p>
  return (
    <PreviewFrame title={t.previews.titleOf(name)} show={show} link={link} {...(!fills && { heights: [60, 640] })} />
  )
}

interface AppViewProps {
  source: string
  /** Its first appearance, if that could be computed. */
  page: JsxPage | undefined
  name: string
  fills?: boolean
}

/** A page that runs in a sandboxed frame, with its own scripts. Another theme or source starts it again. */
export function AppView({ source, page, name, fills = false }: AppViewProps) {
  const theme = useActiveTheme()
  const [loaded, setLoaded] = useState<{ code: string; css: string }>()
  const [problem, setProblem] = useState<string>()
  useEffect(() => {
    let isLeft = false
    Promise.all([loadLibrary('page'), appStyles(source, page?.classes)]).then(
      ([code, css]) => isLeft || setLoaded({ code, css }),
      () => isLeft || setProblem(t.previews.notLoaded),
    )
    return () => {
      isLeft = true
    }
  }, [source, page])
  const dark = theme === 'dark' && hasDarkTheme(source)
  const show = useMemo(
    () => (loaded === undefined ? undefined : ({ kind: 'app', source, dark, ...loaded } as const)),
    [loaded, source, dark],
  )
  if (show === undefined) return <p className="preview-note">{problem ?? t.previews.loading}</p>
  return <PreviewFrame title={t.previews.titleOf(name)} show={show} {...(!fills && { heights: [120, 640] })} />
}
