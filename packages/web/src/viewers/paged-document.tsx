import { lazy, useEffect, useState } from 'react'
import { errorMessage } from '../texts/format.ts'
import { t } from '../texts/t.ts'
import { VisibleText } from '../ui/elements.tsx'
import { Segments } from '../ui/segments.tsx'
import type { ViewedFile } from '../api/viewer-kind.ts'
import { DocumentView } from './document-view.tsx'
import type { FileSource } from './file-source.ts'

const PdfView = lazy(() => import('./pdf-view.tsx').then((loaded) => ({ default: loaded.PdfView })))

/** Formats whose formatting the server knows. */
const laidOut = /\.(docx|docm|dotx|dotm)$/i

/** A document as text, with its formatting if it is known and, where the server can convert it, as pages. */
export function PagedDocument({ file, source }: { file: ViewedFile; source: FileSource }) {
  const [hasPages, setHasPages] = useState(false)
  const hasLayout = laidOut.test(file.path)
  const [view, setView] = useState<'layout' | 'text' | 'pages'>(hasLayout ? 'layout' : 'text')
  return (
    <>
      {(hasPages || hasLayout) && (
        <div className="viewer-bar">
          <Segments
            label={t.viewers.tools}
            options={[
              ...(hasLayout ? [{ value: 'layout' as const, label: t.viewers.asDocument }] : []),
              { value: 'text' as const, label: t.viewers.asText },
              ...(hasPages ? [{ value: 'pages' as const, label: t.viewers.asPages }] : []),
            ]}
            value={view}
            onChange={setView}
          />
        </div>
      )}
      {view !== 'pages' ? (
        <DocumentView
          key={view}
          file={file}
          source={source}
          isLaidOut={view === 'layout'}
          onRead={(document) => setHasPages(document.hasPages === true)}
        />
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
