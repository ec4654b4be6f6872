import type { PDFDocumentProxy } from 'pdfjs-dist'

interface Entry {
  title: string
  dest: unknown
  items: Entry[]
}

const mostEntries = 300
const deepest = 6

/** The outline as a Markdown list with page numbers. Empty if the document has none. */
export async function readOutline(document: PDFDocumentProxy, isLate: () => boolean): Promise<string> {
  const entries = (await document.getOutline().catch(() => null)) as Entry[] | null
  const lines: string[] = []
  let left = 0
  await write(entries ?? [], 0)
  if (left > 0) lines.push(`- and ${left} more`)
  return lines.join('\n')

  async function write(items: readonly Entry[], depth: number): Promise<void> {
    for (const { title, dest, items: below } of items) {
      if (lines.length >= mostEntries || isLate()) {
        left++
        continue
      }
      const page = await pageOf(document, dest)
      const name = title.replace(/\s+/g, ' ').trim().slice(0, 200)
      lines.push(`${'  '.repeat(depth)}- ${name}${page === undefined ? '' : ` [p. ${page}]`}`)
      if (depth < deepest) await write(below, depth + 1)
    }
  }
}

async function pageOf(document: PDFDocumentProxy, dest: unknown): Promise<number | undefined> {
  try {
    const explicit: unknown = typeof dest === 'string' ? await document.getDestination(dest) : dest
    const target: unknown = Array.isArray(explicit) ? explicit[0] : undefined
    if (typeof target === 'number') return target + 1
    if (typeof target !== 'object' || target === null) return undefined
    return (await document.getPageIndex(target as { num: number; gen: number })) + 1
  } catch {
    return undefined
  }
}
