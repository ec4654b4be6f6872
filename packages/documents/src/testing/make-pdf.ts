import { Buffer } from 'node:buffer'

export interface PdfPage {
  /** Content stream. `text(...)` makes its most frequent parts. */
  content: string
  mediaBox?: readonly number[]
  cropBox?: readonly number[]
  rotate?: number
  /** Bodies of annotation dictionaries, without the brackets. */
  annotations?: readonly string[]
  /** Entries of the resources besides the font `F1`. */
  resources?: string
}

export interface PdfOptions {
  /** Entries of the catalog. `{n}` is the number of the nth extra object, from 0. */
  catalog?: string
  /** Entries of the trailer. */
  trailer?: string
  title?: string
  /** Further objects, complete with brackets. Their references may use `{n}` and `{page n}`. */
  objects?: readonly string[]
}

/** Makes a PDF with Helvetica as `F1`, uncompressed, so that a test can damage it. */
export function makePdf(pages: readonly PdfPage[], options: PdfOptions = {}): Buffer {
  const objects: string[] = []
  const pageNumber = (index: number): number => 4 + index * 2
  const extraStart = 4 + pages.length * 2 + pages.reduce((sum, page) => sum + (page.annotations?.length ?? 0), 0)
  const fill = (text: string): string =>
    text
      .replace(/\{page (\d+)\}/g, (_, index: string) => `${pageNumber(Number(index))} 0 R`)
      .replace(/\{(\d+)\}/g, (_, index: string) => `${extraStart + Number(index)} 0 R`)
  const kids = pages.map((_, index) => `${pageNumber(index)} 0 R`).join(' ')
  objects[1] = `<< /Type /Catalog /Pages 2 0 R ${fill(options.catalog ?? '')} >>`
  objects[2] = `<< /Type /Pages /Kids [${kids}] /Count ${pages.length} >>`
  objects[3] = '<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>'
  let nextAnnotation = 4 + pages.length * 2
  for (const [index, page] of pages.entries()) {
    const number = pageNumber(index)
    const annotations = (page.annotations ?? []).map((body) => {
      objects[nextAnnotation] = `<< /Type /Annot ${fill(body)} >>`
      return `${nextAnnotation++} 0 R`
    })
    objects[number] = [
      '<< /Type /Page /Parent 2 0 R',
      `/MediaBox [${(page.mediaBox ?? [0, 0, 612, 792]).join(' ')}]`,
      page.cropBox === undefined ? '' : `/CropBox [${page.cropBox.join(' ')}]`,
      page.rotate === undefined ? '' : `/Rotate ${page.rotate}`,
      `/Resources << /Font << /F1 3 0 R >> ${fill(page.resources ?? '')} >>`,
      annotations.length === 0 ? '' : `/Annots [${annotations.join(' ')}]`,
      `/Contents ${number + 1} 0 R >>`,
    ].join(' ')
    objects[number + 1] = stream(page.content)
  }
  for (const body of options.objects ?? []) objects.push(fill(body))
  if (options.title !== undefined) objects.push(`<< /Title (${options.title}) >>`)
  const info = options.title === undefined ? '' : `/Info ${objects.length - 1} 0 R`
  return write(objects, `${info} ${fill(options.trailer ?? '')}`)
}

export function stream(content: string, entries = ''): string {
  return `<< /Length ${Buffer.byteLength(content, 'latin1')} ${entries} >>\nstream\n${content}\nendstream`
}

/** Draws words with their left end at (x, y), in points from the bottom left. */
export function text(x: number, y: number, words: string, size = 12): string {
  return `BT /F1 ${size} Tf ${x} ${y} Td (${words.replace(/[()\\]/g, '\\$&')}) Tj ET\n`
}

function write(objects: readonly string[], trailer: string): Buffer {
  const parts = ['%PDF-1.7\n']
  const offsets: number[] = []
  let at = parts[0]!.length
  for (let number = 1; number < objects.length; number++) {
    offsets[number] = at
    const part = `${number} 0 obj\n${objects[number] ?? 'null'}\nendobj\n`
    parts.push(part)
    at += Buffer.byteLength(part, 'latin1')
  }
  const lines = offsets.slice(1).map((offset) => `${String(offset).padStart(10, '0')} 00000 n \n`)
  parts.push(`xref\n0 ${objects.length}\n0000000000 65535 f \n${lines.join('')}`)
  parts.push(`trailer\n<< /Size ${objects.length} /Root 1 0 R ${trailer} >>\nstartxref\n${at}\n%%EOF\n`)
  return Buffer.from(parts.join(''), 'latin1')
}
