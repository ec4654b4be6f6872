import type { JsxPage } from '@troupe/protocol'
import { useEffect, useMemo, useRef, useState } from 'react'
import { t } from '../texts/t.ts'
import { useActiveTheme } from './load-library.ts'
import { type FrameLink, PreviewFrame } from './preview-frame.tsx'
import { hasDarkTheme, pageContent } from './page/page-document.ts'

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
      (made) => isLeft || setContent({ ...made, dark: theme === 'dark' && hasDarkTheme(page) }),
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
