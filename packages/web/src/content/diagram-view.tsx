import { useEffect, useState } from 'react'
import { errorMessage } from '../texts/format.ts'
import { t } from '../texts/t.ts'
import { VisibleText } from '../ui/elements.tsx'
import { diagramColors, type DiagramColors, withSvgSize } from './diagram-colors.ts'
import { loadLibrary, useActiveContrast, useActiveTheme } from './load-library.ts'
import { type FrameLink, linkFrame } from './preview-frame.tsx'
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
let painter: Promise<{ link: FrameLink; frame: HTMLIFrameElement }> | undefined
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
  const { link, frame } = await painter.catch((error: unknown) => {
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
      link.close()
      frame.remove()
    }
    throw error
  }
}

async function openPainter(): Promise<{ link: FrameLink; frame: HTMLIFrameElement }> {
  const code = await loadLibrary('mermaid')
  const frame = document.createElement('iframe')
  frame.setAttribute('sandbox', 'allow-scripts')
  frame.setAttribute('aria-hidden', 'true')
  frame.tabIndex = -1
  // Off-screen, but with a size so that text can be measured.
  Object.assign(frame.style, {
    position: 'fixed',
    left: '-3000px',
    top: '0',
    width: '1200px',
    height: '800px',
    border: '0',
  })
  return new Promise((resolve, reject) => {
    const fail = (text: string) => {
      clearTimeout(timer)
      link.close()
      frame.remove()
      reject(new Error(text))
    }
    const timer = setTimeout(() => fail(t.previews.notStarted), 20_000)
    const link = linkFrame(frame, { kind: 'diagrams', code }, (message) => {
      if (message.type === 'error') fail(message.text)
      if (message.type !== 'shown') return
      clearTimeout(timer)
      resolve({ link, frame })
    })
    frame.src = '/preview.html'
    document.body.append(frame)
  })
}
