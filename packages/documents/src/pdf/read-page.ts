import type { PDFPageProxy } from 'pdfjs-dist'
import type { OpenPdf } from './open-pdf.ts'
import { layOut } from './page-layout.ts'
import { joinRuns } from './page-lines.ts'
import { toMarkdown } from './page-markdown.ts'
import { type PageRuns, readRuns } from './page-runs.ts'
import type { HiddenReason, Run } from './run.ts'

export interface PageText {
  number: number
  text: string
  runs: readonly Run[]
  /** Words that cannot be seen on the page, by reason. They are not in the text. */
  hidden: Map<HiddenReason, number>
  /** The text is an invisible layer, such as OCR programs put over a scan. */
  isLayer: boolean
  /** More was drawn than is read. */
  cut: boolean
}

/** Letters by font size, over the pages of an answer so far. The most frequent size is that of the body. */
export type Sizes = Map<number, number>

/** Decides which of the doubtful runs can be seen on a page. */
export type LookAt = (number: number, page: PageRuns) => Promise<void>

/** Reads the visible text of a page in reading order. */
export async function readPage(pdf: OpenPdf, number: number, sizes: Sizes, lookAt: LookAt): Promise<PageText> {
  const page = await pdf.document.getPage(number)
  try {
    return await readOpenPage(pdf, page, sizes, lookAt)
  } finally {
    page.cleanup()
  }
}

async function readOpenPage(pdf: OpenPdf, page: PDFPageProxy, sizes: Sizes, lookAt: LookAt): Promise<PageText> {
  const found = await readRuns(page, pdf.ops, pdf.layers)
  if (found.runs.some(({ doubt }) => doubt !== undefined)) await lookAt(page.pageNumber, found)
  const invisible = letters(found.runs.filter(({ hidden }) => hidden === 'invisible'))
  const visible = found.runs.filter(({ hidden }) => hidden === undefined)
  const isLayer = invisible > 0 && invisible > letters(visible) * 2
  const shown = isLayer ? found.runs.filter(({ hidden }) => hidden === undefined || hidden === 'invisible') : visible
  countSizes(sizes, shown)
  const body = mostFrequent(sizes)
  const parts = [...Map.groupBy(shown, ({ angle }) => angle).values()]
    .toSorted((a, b) => letters(b) - letters(a))
    .map((runs) => toMarkdown(layOut(joinRuns(runs)), body))
  return {
    number: page.pageNumber,
    text: parts.filter((part) => part !== '').join('\n\n'),
    runs: shown,
    hidden: countHidden(found.runs, isLayer),
    isLayer,
    cut: found.cut,
  }
}

function countHidden(runs: readonly Run[], isLayer: boolean): Map<HiddenReason, number> {
  const counts = new Map<HiddenReason, number>()
  for (const { hidden } of runs) {
    if (hidden !== undefined && !(isLayer && hidden === 'invisible')) counts.set(hidden, (counts.get(hidden) ?? 0) + 1)
  }
  return counts
}

function countSizes(sizes: Sizes, runs: readonly Run[]): void {
  for (const { size, text } of runs) {
    const rounded = Math.round(size * 2) / 2
    sizes.set(rounded, (sizes.get(rounded) ?? 0) + text.length)
  }
}

function mostFrequent(sizes: ReadonlyMap<number, number>): number {
  let found = 0
  let most = 0
  for (const [size, count] of sizes) if (count > most) [found, most] = [size, count]
  return found
}

function letters(runs: readonly Run[]): number {
  return runs.reduce((sum, { text }) => sum + text.length, 0)
}
