import type { PDFPageProxy } from 'pdfjs-dist'
import { identity, toMatrix } from './geometry.ts'
import { type Font, type Glyphs, noFont, RunReader } from './run-reader.ts'
import { contains, pagePoint, type Run, type Shape } from './run.ts'

export interface PageRuns {
  width: number
  height: number
  runs: Run[]
  shapes: Shape[]
  /** More was drawn than is read. */
  cut: boolean
}

/** A page of dense text has about 10,000 letters. */
const mostGlyphs = 400_000

/**
 * Reads the runs of a page from its drawing operations, which know more than the text content of pdf.js: colors,
 * invisible text, clipping, hidden layers, and what is drawn in form fields and stamps. It takes the same time.
 */
export async function readRuns(page: PDFPageProxy, ops: Ops, layers: Layers | undefined): Promise<PageRuns> {
  const list = await page.getOperatorList()
  const viewport = page.getViewport({ scale: 1 })
  const base = toMatrix(viewport.transform) ?? identity
  const view = { x0: 0, y0: 0, x1: viewport.width, y1: viewport.height }
  const reader = new RunReader(base, view, (name) => fontOf(page, name))
  const { fnArray, argsArray } = list
  const closed: boolean[] = []
  let closedLevels = 0
  for (let index = 0; index < fnArray.length && reader.glyphs <= mostGlyphs; index++) {
    const args = (argsArray[index] ?? []) as unknown[]
    switch (fnArray[index] ?? 0) {
      case ops.showText:
        reader.showText(args[0] as Glyphs, closedLevels > 0)
        break
      case ops.setFont:
        reader.setFont(String(args[0]), Number(args[1]))
        break
      case ops.setTextMatrix:
        reader.setTextMatrix(toMatrix(args.length === 6 ? args : args[0]) ?? identity)
        break
      case ops.moveText:
        reader.moveText(Number(args[0]), Number(args[1]))
        break
      case ops.setLeadingMoveText:
        reader.state.leading = Number(args[1])
        reader.moveText(Number(args[0]), Number(args[1]))
        break
      case ops.nextLine:
        reader.moveText(0, reader.state.leading)
        break
      case ops.setLeading:
        reader.state.leading = -Number(args[0])
        break
      case ops.beginText:
        reader.setTextMatrix(identity)
        break
      case ops.setCharSpacing:
        reader.state.charSpacing = Number(args[0])
        break
      case ops.setWordSpacing:
        reader.state.wordSpacing = Number(args[0])
        break
      case ops.setHScale:
        reader.state.scale = Number(args[0]) / 100
        break
      case ops.setTextRise:
        reader.state.rise = Number(args[0])
        break
      case ops.setTextRenderingMode:
        reader.state.mode = Number(args[0]) & 3
        break
      case ops.setFillRGBColor:
        reader.state.fill = String(args[0])
        break
      case ops.setStrokeRGBColor:
        reader.state.stroke = String(args[0])
        break
      case ops.setFillColorN:
      case ops.setFillTransparent:
        reader.state.fill = 'pattern'
        break
      case ops.setGState:
        reader.setGState(args[0])
        break
      case ops.save:
        reader.save()
        break
      case ops.restore:
        reader.restore()
        break
      case ops.transform:
        reader.transform(toMatrix(args.length === 6 ? args : args[0]))
        break
      case ops.clip:
      case ops.eoClip:
        reader.willClip = true
        break
      case ops.constructPath:
        reader.drawPath(args[0] as number, args[2], ops)
        break
      case ops.paintFormXObjectBegin:
        reader.save()
        reader.transform(toMatrix(args[0]))
        reader.clip(args[1])
        break
      case ops.beginGroup:
        reader.save()
        break
      case ops.paintFormXObjectEnd:
      case ops.endGroup:
      case ops.endAnnotation:
        reader.restore()
        break
      case ops.beginAnnotation:
        reader.beginAnnotation(args)
        break
      case ops.beginMarkedContent:
      case ops.beginMarkedContentProps: {
        const isClosed = args[0] === 'OC' && layers?.isVisible(args[1]) === false
        closed.push(isClosed)
        if (isClosed) closedLevels++
        break
      }
      case ops.endMarkedContent:
        if (closed.pop() === true) closedLevels--
        break
    }
  }
  reader.endRun()
  doubtCovered(reader.runs, reader.shapes)
  return {
    width: viewport.width,
    height: viewport.height,
    runs: reader.runs,
    shapes: reader.shapes,
    cut: reader.glyphs > mostGlyphs,
  }
}

export type Ops = Record<string, number>

export interface Layers {
  isVisible(group: unknown): boolean
}

/** Marks text that something was painted over later, such as a black bar. */
function doubtCovered(runs: readonly Run[], shapes: readonly Shape[]): void {
  const covers = shapes.filter(({ isRule, color }) => !isRule && color !== 'pattern').slice(-300)
  if (covers.length === 0) return
  for (const run of runs) {
    if (run.hidden !== undefined || run.doubt !== undefined) continue
    const { x, y } = pagePoint(run)
    if (covers.some((cover) => cover.order > run.order && contains(cover, x, y))) run.doubt = 'covered'
  }
}

function fontOf(page: PDFPageProxy, name: string): Font {
  try {
    const font = page.commonObjs.get(name) as Record<string, unknown> | null
    const matrix = toMatrix(font?.['fontMatrix'])
    const title = font?.['name']
    return {
      vertical: font?.['vertical'] === true,
      bold: font?.['bold'] === true || font?.['black'] === true,
      dingbats: typeof title === 'string' && /dingbats/i.test(title),
      unit: matrix === undefined || matrix[0] === 0 ? 0.001 : Math.abs(matrix[0]),
    }
  } catch {
    return noFont
  }
}
