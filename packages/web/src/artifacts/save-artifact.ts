import { escapeHtml, readPage } from '@troupe/protocol'
import type { PreviewContent } from '../content/content-view.tsx'
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

/** The preview as an HTML document of its own. `shown` is its place in the page, for kinds that only the page can draw. */
export async function artifactDocument(content: PreviewContent, shown: HTMLElement): Promise<string> {
  const { kind, name, text = '' } = content
  if (kind === 'html') return text
  if (kind === 'jsx') {
    const { page } = readPage(text)
    if (page !== undefined) {
      const { pageDocument } = await import('../content/page/page-document.ts')
      return pageDocument(page, name)
    }
  }
  const image =
    kind === 'svg' ? `data:image/svg+xml;charset=utf-8,${encodeURIComponent(text.toWellFormed())}` : undefined
  const body =
    image === undefined
      ? withoutControls(shown).innerHTML
      : `<img src="${escapeHtml(image)}" alt="${escapeHtml(name)}" style="max-width: 100%">`
  return documentOf(name, body)
}

/** Buttons make no sense on paper. */
function withoutControls(shown: HTMLElement): HTMLElement {
  const copy = shown.cloneNode(true) as HTMLElement
  for (const control of copy.querySelectorAll('button, iframe, script, [role="radiogroup"]')) control.remove()
  return copy
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
