import { useEffect, useState } from 'react'
import { errorMessage } from '../texts/format.ts'
import { t } from '../texts/t.ts'
import { VisibleText } from '../ui/elements.tsx'
import { diagramColors, type DiagramColors, withSvgSize } from './diagram-colors.ts'
import { type HiddenFrame, openHiddenFrame } from './hidden-frame.ts'
import { loadLibrary, useActiveContrast, useActiveTheme } from './load-library.ts'
import './views.css'

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

const drawn = new Map<string, Promise<string>>()
let painter: Promise<HiddenFrame> | undefined
let last: Promise<unknown> = Promise.resolve()

/** Maximum diagram source length in characters. */
const longest = 50_000

/**
 * Renders Mermaid source to an SVG image URL, in which no script can run. All diagrams share one sandboxed frame. If
 * one hangs, the frame is discarded.
 */
function drawDiagram(text: string, colours: DiagramColors): Promise<string> {
  if (text.length > longest)
    return Promise.reject(new Error(`The diagram is too long. The limit is ${longest} characters.`))
  const colorsJson = JSON.stringify(colours)
  const key = `${colorsJson} ${text}`
  const known = drawn.get(key)
  if (known !== undefined) return known
  const drawing = last.then(() => draw(text, colorsJson))
  last = drawing.catch(() => undefined)
  drawn.set(key, drawing)
  if (drawn.size > 100) drawn.delete(drawn.keys().next().value as string)
  return drawing
}

async function draw(text: string, colours: string): Promise<string> {
  painter ??= openPainter()
  const { link, close } = await painter.catch((error: unknown) => {
    painter = undefined
    throw error
  })
  try {
    const svg = await link.ask({ text, colours })
    if (!svg.startsWith('<svg')) throw new Error('No image was created.')
    return `data:image/svg+xml;charset=utf-8,${encodeURIComponent(withSvgSize(svg))}`
  } catch (error) {
    if ((error as Error).message === t.previews.tooLong) {
      painter = undefined
      close()
    }
    throw error
  }
}

async function openPainter(): Promise<HiddenFrame> {
  const code = await loadLibrary('mermaid')
  return openHiddenFrame({ kind: 'diagrams', code }, { width: 1200, height: 800 })
}
