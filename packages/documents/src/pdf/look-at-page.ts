import type { DocumentSource } from '../reader.ts'
import { drawPage, lightRange } from './draw-page.ts'
import { type OpenPdf, openForDrawing } from './open-pdf.ts'
import type { PageRuns } from './page-runs.ts'
import { pagePoint, type Run } from './run.ts'

/** Pages drawn per answer, since drawing is slow. */
const mostLooks = 8
const scale = 2

export interface Eyes {
  lookAt(number: number, page: PageRuns): Promise<void>
  /** The document for drawing, opened on first use. */
  drawing(): Promise<OpenPdf>
  close(): Promise<void>
}

/**
 * Draws pages with doubtful text and marks the runs that leave no trace in the picture: white on white, or below a
 * filled area. Text that cannot be looked at is marked as well, because words that nobody sees may be there to mislead.
 */
export function openEyes(source: DocumentSource): Eyes {
  let opening: Promise<OpenPdf> | undefined
  let looks = 0
  const drawing = (): Promise<OpenPdf> => (opening ??= openForDrawing(source))
  return {
    drawing,
    async lookAt(number, { runs }) {
      const doubtful = runs.filter(({ doubt }) => doubt !== undefined)
      const isSeen = looks++ < mostLooks && !source.isLate() ? await look(drawing, number) : () => false
      for (const run of doubtful) if (!isSeen(run)) run.hidden = run.doubt
    },
    async close() {
      await (await opening?.catch(() => undefined))?.close()
    },
  }
}

async function look(drawing: () => Promise<OpenPdf>, number: number): Promise<(run: Run) => boolean> {
  try {
    const canvas = await drawPage(await drawing(), number, { scale, side: 2400 })
    const context = canvas.getContext('2d')
    const page = await (await drawing()).document.getPage(number)
    const factor = canvas.width / Math.max(1, page.getViewport({ scale: 1 }).width)
    return (run) => {
      const { x, y } = pagePoint(run)
      const [along, across] = [(run.x1 - run.x0) / 2, run.size * 0.4]
      // The upright box around slanted text would show what is beside it, so only its middle is looked at.
      const [halfWidth, halfHeight] =
        run.angle % 180 === 0 ? [along, across] : run.angle % 90 === 0 ? [across, along] : [across, across]
      const left = Math.max(0, Math.floor((x - halfWidth) * factor))
      const top = Math.max(0, Math.floor((y - halfHeight) * factor))
      const right = Math.min(canvas.width, Math.ceil((x + halfWidth) * factor))
      const bottom = Math.min(canvas.height, Math.ceil((y + halfHeight) * factor))
      if (right <= left || bottom <= top) return false
      return lightRange(context.getImageData(left, top, right - left, bottom - top).data) >= 16
    }
  } catch {
    return () => false
  }
}
