import { useEffect, useState } from 'react'
import { t } from '../texts/t.ts'
import { errorMessage } from '../ui/error-text.ts'
import { VisibleText } from '../ui/visible-text.tsx'
import { diagramColors } from './diagram-colours.ts'
import { drawDiagram } from './draw-diagram.ts'
import { useActiveContrast } from './use-shown-contrast.ts'
import { useActiveTheme } from './use-shown-theme.ts'
import './views.css'

/** A Mermaid text as a picture. */
export function DiagramView({ text }: { text: string }) {
  const theme = useActiveTheme()
  const contrast = useActiveContrast()
  const [state, setState] = useState<{ source?: string; problem?: string }>({})
  useEffect(() => {
    let left = false
    drawDiagram(text, diagramColors(theme === 'dark')).then(
      (source) => left || setState({ source }),
      (error: unknown) => left || setState({ problem: errorMessage(error) }),
    )
    return () => {
      left = true
    }
  }, [text, theme, contrast])
  if (state.problem !== undefined) {
    return (
      <p className="preview-note" role="note">
        {t.previews.diagramFailed} <VisibleText text={state.problem} />
      </p>
    )
  }
  if (state.source === undefined) return <p className="preview-note">{t.previews.loading}</p>
  return (
    <div className="preview-picture">
      <img src={state.source} alt={t.previews.diagram} />
    </div>
  )
}
