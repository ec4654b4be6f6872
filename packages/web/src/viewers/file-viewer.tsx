import { lazy, Suspense } from 'react'
import '../texts/show-late.ts'
import { t } from '../texts/t.ts'
import { ErrorBoundary } from '../ui/error-boundary.tsx'
import { useFileSource } from './file-source.ts'
import { ImageView, MediaView } from './media-view.tsx'
import { type ViewedFile, viewerOf } from '../api/viewer-kind.ts'
import './viewers.css'

const PdfView = lazy(() => import('./pdf-view.tsx').then((loaded) => ({ default: loaded.PdfView })))
const SheetGrid = lazy(() => import('./sheet-grid.tsx').then((loaded) => ({ default: loaded.SheetGrid })))
const PagedDocument = lazy(() => import('./paged-document.tsx').then((loaded) => ({ default: loaded.PagedDocument })))

/** Shows a file that is no text: PDF, sheets, pictures, sound, video, documents, archives, mail. */
export function FileViewer({ file }: { file: ViewedFile }) {
  const source = useFileSource(file)
  return (
    <ErrorBoundary fallback={<p className="side-panel-none">{t.viewers.failed}</p>}>
      <Suspense fallback={<p className="side-panel-none">{t.panels.loading}</p>}>
        <div className="viewer">{viewer()}</div>
      </Suspense>
    </ErrorBoundary>
  )

  function viewer() {
    switch (viewerOf(file.path)) {
      case 'pdf':
        return <PdfView file={file} source={source} />
      case 'sheet':
        return <SheetGrid file={file} source={source} otherwise={<PagedDocument file={file} source={source} />} />
      case 'image':
        return <ImageView source={source} />
      case 'audio':
      case 'video':
        return <MediaView source={source} kind={viewerOf(file.path) === 'audio' ? 'audio' : 'video'} />
      default:
        return <PagedDocument file={file} source={source} />
    }
  }
}
