import { t } from '../texts/t.ts'
import type { DiagramColors } from './diagram-colours.ts'
import { linkFrame, type FrameLink } from './link-frame.ts'
import { loadLibrary } from './load-library.ts'
import { withSvgSize } from './size-picture.ts'

const drawn = new Map<string, Promise<string>>()
let painter: Promise<{ link: FrameLink; frame: HTMLIFrameElement }> | undefined
let last: Promise<unknown> = Promise.resolve()

/** Longest text of a diagram, in characters. */
const longest = 50_000

/**
 * The picture of a Mermaid text as the address of an SVG image, in which nothing can run. It is made in a frame of its
 * own that all diagrams share; one that hangs is thrown away with its frame.
 */
export function drawDiagram(text: string, colours: DiagramColors): Promise<string> {
  if (text.length > longest) return Promise.reject(new Error(`The diagram has more than ${longest} characters.`))
  const told = JSON.stringify(colours)
  const key = `${told} ${text}`
  const known = drawn.get(key)
  if (known !== undefined) return known
  const drawing = last.then(() => draw(text, told))
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
    if (!svg.startsWith('<svg')) throw new Error('It gave no picture.')
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
  // Out of sight, but with a size: text is measured there.
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
