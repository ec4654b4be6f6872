import { Eye, EyeOff } from 'lucide-react'
import { lazy, Suspense, useState } from 'react'
import { ErrorBoundary } from '../chat/card-boundary.tsx'
import { t } from '../texts/t.ts'
import { Button } from '../ui/button.tsx'
import { kindOfFence } from './preview-kind.ts'
import './preview-button.css'

const ContentView = lazy(() => import('./content-view.tsx').then(({ ContentView }) => ({ default: ContentView })))

/**
 * Below a finished block of code that is more than code: diagrams and charts are drawn at once, everything else when it
 * is asked for. Nothing for all other languages.
 */
export function FencePreview({ language, text }: { language: string; text: string }) {
  const kind = kindOfFence(language, text)
  const draws = kind === 'mermaid' || kind === 'chart'
  const [open, setOpen] = useState(draws)
  if (kind === undefined) return null
  return (
    <div className="fence-preview">
      <Button kind="quiet" aria-expanded={open} onClick={() => setOpen(!open)}>
        {open ? <EyeOff aria-hidden /> : <Eye aria-hidden />}
        {open ? t.previews.hide : t.previews.preview}
      </Button>
      {open && (
        <ErrorBoundary fallback={<p className="fence-note">{t.previews.notLoaded}</p>}>
          <Suspense fallback={<p className="fence-note">{t.previews.loading}</p>}>
            <div className="fence-content">
              <ContentView content={{ kind, text, name: kind === 'chart' ? t.previews.chart : language }} />
            </div>
          </Suspense>
        </ErrorBoundary>
      )}
    </div>
  )
}
