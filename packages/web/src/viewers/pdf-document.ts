import { getDocument, GlobalWorkerOptions, type PDFDocumentProxy, type PDFPageProxy, TextLayer } from 'pdfjs-dist'
// oxlint-disable-next-line import/default -- Vite gives the address of a file as its default export
import workerUrl from 'pdfjs-dist/build/pdf.worker.min.mjs?url'

GlobalWorkerOptions.workerSrc = workerUrl

/** Character maps of Asian fonts and the fonts that every PDF may use. Loaded one by one, when a file needs them. */
const maps = import.meta.glob<string>('../../../../node_modules/pdfjs-dist/cmaps/*.bcmap', {
  query: '?url',
  import: 'default',
  eager: true,
})
const fonts = import.meta.glob<string>('../../../../node_modules/pdfjs-dist/standard_fonts/*.{pfb,ttf}', {
  query: '?url',
  import: 'default',
  eager: true,
})
const urls = new Map([...Object.entries(maps), ...Object.entries(fonts)].map(([path, url]) => [nameOf(path), url]))

/** Loads what the library asks for by its name, from the page's own files. */
class OwnFiles {
  async fetch({ filename }: { filename: string }): Promise<Uint8Array> {
    const url = urls.get(filename) ?? urls.get(`${filename}.bcmap`)
    if (url === undefined) throw new Error(`There is no ${filename}.`)
    return new Uint8Array(await (await fetch(url)).arrayBuffer())
  }
}

export interface PdfFile {
  pages: number
  page(number: number): Promise<PDFPageProxy>
  close(): void
}

/** Opens a PDF from its bytes, or from an address by ranges. Scripts in it are never run, and nothing outside is loaded. */
export async function openPdf(from: string | Uint8Array, signal: AbortSignal): Promise<PdfFile> {
  const task = getDocument({
    // The library takes the bytes away, so it gets a copy.
    ...(typeof from === 'string' ? { url: from } : { data: from.slice() }),
    BinaryDataFactory: OwnFiles,
    cMapUrl: '/',
    cMapPacked: true,
    standardFontDataUrl: '/',
    useWorkerFetch: false,
    useWasm: false,
    disableAutoFetch: true,
    enableXfa: false,
    maxImageSize: 100_000_000,
  })
  signal.addEventListener('abort', () => void task.destroy(), { once: true })
  const file: PDFDocumentProxy = await task.promise
  return { pages: file.numPages, page: (number) => file.getPage(number), close: () => void task.destroy() }
}

/** Draws a page into the canvas. Resolves when it is drawn or `signal` stops it. */
export async function drawPage(
  page: PDFPageProxy,
  canvas: HTMLCanvasElement,
  { scale, signal }: { scale: number; signal: AbortSignal },
): Promise<void> {
  const pixels = Math.min(2, window.devicePixelRatio)
  const viewport = page.getViewport({ scale: scale * pixels })
  canvas.width = Math.max(1, Math.floor(viewport.width))
  canvas.height = Math.max(1, Math.floor(viewport.height))
  const task = page.render({ canvas, viewport })
  signal.addEventListener('abort', () => task.cancel(), { once: true })
  await task.promise.catch((error: unknown) => {
    if (!signal.aborted) throw error
  })
}

/** Lays selectable text over a page. */
export async function layText(page: PDFPageProxy, container: HTMLElement, scale: number): Promise<void> {
  container.replaceChildren()
  container.style.setProperty('--total-scale-factor', String(scale))
  const layer = new TextLayer({
    textContentSource: page.streamTextContent(),
    container,
    viewport: page.getViewport({ scale }),
  })
  await layer.render()
}

const maxSearchedPages = 2000

/** Numbers of the pages that contain the words, as they are found. */
export async function* findPages(file: PdfFile, words: string, signal: AbortSignal): AsyncGenerator<number> {
  const wanted = simplify(words)
  for (let number = 1; number <= Math.min(file.pages, maxSearchedPages); number++) {
    if (signal.aborted) return
    const { items } = await (await file.page(number)).getTextContent()
    const text = items.map((item) => ('str' in item ? `${item.str}${item.hasEOL ? ' ' : ''}` : '')).join('')
    if (simplify(text).includes(wanted)) yield number
  }
}

export function simplify(text: string): string {
  return text.normalize('NFKC').replace(/\s+/g, ' ').toLowerCase()
}

function nameOf(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1)
}
