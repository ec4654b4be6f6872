import { lazy, useEffect, useState } from 'react'
import { errorMessage } from '../texts/format.ts'
import { t } from '../texts/t.ts'
import { VisibleText } from '../ui/elements.tsx'
import { Segments } from '../ui/segments.tsx'
import type { ViewedFile } from '../api/viewer-kind.ts'
import { DocumentView } from './document-view.tsx'
import type { FileSource } from './file-source.ts'

const PdfView = lazy(() => import('./pdf-view.tsx').then((loaded) => ({ default: loaded.PdfView })))

/** A document as text and, where the server can convert it, as pages. */
export function PagedDocument({ file, source }: { file: ViewedFile; source: FileSource }) {
  const [hasPages, setHasPages] = useState(false)
  const [view, setView] = useState<'text' | 'pages'>('text')
  return (
    <>
      {hasPages && (
        <div className="viewer-bar">
          <Segments
            label={t.viewers.tools}
            options={[
              { value: 'text', label: t.viewers.asText },
              { value: 'pages', label: t.viewers.asPages },
            ]}
            value={view}
            onChange={setView}
          />
        </div>
      )}
      {view === 'text' ? (
        <DocumentView file={file} source={source} onRead={(document) => setHasPages(document.hasPages === true)} />
      ) : (
        <Pages file={file} source={source} />
      )}
    </>
  )
}

function Pages({ file, source }: { file: ViewedFile; source: FileSource }) {
  const [state, setState] = useState<{ pdf?: FileSource; problem?: string }>({})
  useEffect(() => {
    const stop = new AbortController()
    source.pages(stop.signal).then(
      (bytes) => stop.signal.aborted || setState({ pdf: { ...source, bytes } }),
      (error: unknown) => stop.signal.aborted || setState({ problem: errorMessage(error) }),
    )
    // Ends the conversion on the server, too.
    return () => stop.abort()
  }, [source])
  if (state.pdf !== undefined) return <PdfView file={file} source={state.pdf} />
  return (
    <div className="side-panel-none">
      <p>{state.problem === undefined ? t.viewers.converting : <VisibleText text={state.problem} />}</p>
    </div>
  )
}
