import { escapeHtml, isInteractive, readPage } from '@troupe/protocol'
import type { PreviewContent } from '../content/content-view.tsx'
import { framePictures } from '../content/frame-pictures.ts'
import paper from './paper.css?raw'

const endings: Record<PreviewContent['kind'], string> = {
  html: 'html',
  svg: 'svg',
  markdown: 'md',
  csv: 'csv',
  xlsx: 'xlsx',
  mermaid: 'mmd',
  jsx: 'jsx',
  chart: 'json',
}

/**
 * The preview as an HTML document of its own. `shown` is its place in the page, for kinds that only the page can draw.
 * `isStill`: for paper, which shows an interactive page as it starts.
 */
export async function artifactDocument(content: PreviewContent, shown: HTMLElement, isStill = false): Promise<string> {
  const { kind, name, text = '' } = content
  if (kind === 'html') return text
  if (kind === 'jsx') {
    const { page } = readPage(text)
    const { appDocument, pageDocument } = await import('../content/page/page-document.ts')
    if (isInteractive(text) && (page === undefined || !isStill)) {
      const { loadLibrary } = await import('../content/load-library.ts')
      return appDocument(text, name, await loadLibrary('page'))
    }
    if (page !== undefined) return pageDocument(page, name)
  }
  const image =
    kind === 'svg' ? `data:image/svg+xml;charset=utf-8,${encodeURIComponent(text.toWellFormed())}` : undefined
  const body =
    image === undefined
      ? ((await sheetsHtml(content)) ?? (await onPaper(shown)).innerHTML)
      : `<img src="${escapeHtml(image)}" alt="${escapeHtml(name)}" style="max-width: 100%">`
  return documentOf(name, body)
}

/** A copy for paper: pictures instead of charts, and no buttons. */
async function onPaper(shown: HTMLElement): Promise<HTMLElement> {
  const copy = shown.cloneNode(true) as HTMLElement
  const copies = copy.querySelectorAll('figure')
  for (const [index, figure] of shown.querySelectorAll('figure').entries()) {
    const draw = framePictures.get(figure)
    if (draw === undefined) continue
    const picture = document.createElement('img')
    picture.src = await draw()
    picture.alt = figure.getAttribute('aria-label') ?? ''
    copies[index]?.replaceChildren(picture)
  }
  for (const control of copy.querySelectorAll('button, iframe, script, [role="radiogroup"]')) control.remove()
  return copy
}

/** All rows of all sheets: the page shows one sheet, and its first rows. */
async function sheetsHtml({ kind, name, text = '', base64 = '' }: PreviewContent): Promise<string | undefined> {
  if (kind !== 'csv' && kind !== 'xlsx') return undefined
  const { loadSheets } = await import('../content/sheet-view.tsx')
  const sheets = await loadSheets(kind === 'csv' ? { text } : { base64 }, name)
  return sheets
    .map(({ name: title, rows: [head = [], ...rows] }) => {
      const row = (cells: string[], tag: string) =>
        `<tr>${cells.map((cell) => `<${tag}>${escapeHtml(cell)}</${tag}>`).join('')}</tr>`
      const heading = sheets.length > 1 ? `<h2>${escapeHtml(title)}</h2>` : ''
      const body = rows.map((cells) => row(cells, 'td')).join('')
      return `${heading}<table><thead>${row(head, 'th')}</thead><tbody>${body}</tbody></table>`
    })
    .join('')
}

function documentOf(title: string, body: string): string {
  const head = `<meta charset="utf-8"><title>${escapeHtml(title)}</title><style>${paper}</style>`
  return `<!doctype html>\n<html><head>${head}</head><body>${body}</body></html>\n`
}

export function sourceFile({ kind, name, text, base64 }: PreviewContent): { blob: Blob; name: string } {
  const bytes = base64 === undefined ? undefined : Uint8Array.from(atob(base64), (char) => char.charCodeAt(0))
  return { blob: new Blob([bytes ?? text ?? '']), name: downloadName(name, endings[kind]) }
}

/** A file name in any script, without characters that some systems refuse. */
export function downloadName(title: string, ending: string): string {
  const name = title
    .replace(new RegExp(`\\.${ending}$`, 'i'), '')
    .replaceAll(/[^\p{L}\p{N}\p{M} _-]+/gu, ' ')
    .replaceAll(/\s+/g, ' ')
    .trim()
    .slice(0, 80)
    .trim()
  return `${name === '' ? 'artifact' : name}.${ending}`
}

export function saveBlob(blob: Blob, name: string): void {
  const link = document.createElement('a')
  link.href = URL.createObjectURL(blob)
  link.download = name
  link.click()
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000)
}
