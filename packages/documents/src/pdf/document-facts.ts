import type { PDFDocumentProxy } from 'pdfjs-dist'
import { z } from 'zod'
import { countOf } from '../text/parts.ts'

const text = z.string().optional().catch(undefined)
const flag = z.boolean().optional().catch(undefined)

const infoSchema = z.object({
  Title: text,
  Author: text,
  EncryptFilterName: z.string().nullish().catch(undefined),
  IsAcroFormPresent: flag,
  IsXFAPresent: flag,
  IsSignaturesPresent: flag,
})

export interface DocumentFacts {
  /** `352 pages, Letter, title "Free Culture"` */
  line: string
  notes: string[]
}

/** Describes a document in one line and notes what it contains besides text. */
export async function readFacts(document: PDFDocumentProxy): Promise<DocumentFacts> {
  const metadata = await document.getMetadata().catch(() => undefined)
  const info = infoSchema.safeParse(metadata?.info).data ?? {}
  const marks = await document.getMarkInfo().catch(() => null)
  const facts = [
    countOf(document.numPages, 'page'),
    await pageSize(document),
    named('title', info.Title),
    named('author', info.Author),
    marks?.Marked === true && 'tagged',
    info.EncryptFilterName != null && 'encrypted, opens without a password',
    info.IsAcroFormPresent === true && 'has form fields',
    info.IsSignaturesPresent === true && 'has signature fields',
  ]
  const notes = [
    info.IsXFAPresent === true && 'It has an XFA form, of which only the static pages are shown.',
    (await document.hasJSActions().catch(() => false)) && 'It contains JavaScript, which was not run.',
    await attachments(document),
  ]
  return { line: facts.filter(isText).join(', '), notes: notes.filter(isText) }
}

async function pageSize(document: PDFDocumentProxy): Promise<string | undefined> {
  try {
    const { width, height } = (await document.getPage(1)).getViewport({ scale: 1 })
    const [short, long] = [Math.min(width, height), Math.max(width, height)]
    const known = sizes.find(([, a, b]) => Math.abs(a - short) < 4 && Math.abs(b - long) < 4)
    if (known !== undefined) return width > height ? `${known[0]} landscape` : known[0]
    return `${Math.round(width)} x ${Math.round(height)} pt`
  } catch {
    return undefined
  }
}

const sizes: readonly (readonly [name: string, short: number, long: number])[] = [
  ['A4', 595, 842],
  ['Letter', 612, 792],
  ['Legal', 612, 1008],
  ['A3', 842, 1191],
  ['A5', 420, 595],
]

async function attachments(document: PDFDocumentProxy): Promise<string | undefined> {
  const found: unknown = await document.getAttachments().catch(() => null)
  if (typeof found !== 'object' || found === null) return undefined
  const names = found instanceof Map ? [...found.keys()].map(String) : Object.keys(found)
  if (names.length === 0) return undefined
  const shown = names.slice(0, 10).map((name) => JSON.stringify(name.slice(0, 100)))
  return `It has attached files, which were not opened: ${shown.join(', ')}${names.length > 10 ? ` and ${names.length - 10} more` : ''}.`
}

function named(name: string, value: string | undefined): string | undefined {
  const plain = value?.replace(/\s+/g, ' ').trim().slice(0, 120)
  return plain === undefined || plain === '' ? undefined : `${name} ${JSON.stringify(plain)}`
}

function isText(value: string | false | undefined): value is string {
  return value !== undefined && value !== false
}
