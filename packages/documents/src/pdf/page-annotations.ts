import type { PDFDocumentProxy } from 'pdfjs-dist'
import { z } from 'zod'
import type { Box } from './geometry.ts'
import { contains, pagePoint, type Run } from './run.ts'

const optionalText = z.string().optional().catch(undefined)

/** Fields of annotations as pdf.js gives them. Whatever has another type is dropped. */
const annotationSchema = z.object({
  pageIndex: z.number(),
  subtype: optionalText,
  rect: z.array(z.number()).length(4).optional().catch(undefined),
  annotationFlags: z.number().optional().catch(undefined),
  url: optionalText,
  unsafeUrl: optionalText,
  contentsObj: z.object({ str: z.string() }).optional().catch(undefined),
  titleObj: z.object({ str: z.string() }).optional().catch(undefined),
  fieldName: z.string().nullish().catch(undefined),
  fieldType: z.string().nullish().catch(undefined),
  alternativeText: optionalText,
  fieldValue: z
    .union([z.string(), z.array(z.string())])
    .nullish()
    .catch(undefined),
  exportValue: optionalText,
  buttonValue: z.string().nullish().catch(undefined),
  checkBox: z.boolean().optional().catch(undefined),
  radioButton: z.boolean().optional().catch(undefined),
  pushButton: z.boolean().optional().catch(undefined),
  password: z.boolean().optional().catch(undefined),
  options: z
    .array(z.object({ displayValue: z.string().nullish(), exportValue: z.string().nullish() }))
    .optional()
    .catch(undefined),
  hasAppearance: z.boolean().optional().catch(undefined),
})

type Annotation = z.infer<typeof annotationSchema>

/** Fields, notes and links listed per page. */
const mostPerPage = 100
const mostLetters = 500

/** Reads the annotations of pages whose text was read before, which costs little then. */
export async function readAnnotations(
  document: PDFDocumentProxy,
  numbers: readonly number[],
): Promise<Map<number, Annotation[]>> {
  const found = new Map<number, Annotation[]>()
  const wanted = new Set(numbers)
  const others = new Set<number>()
  for (let number = 1; number <= document.numPages; number++) if (!wanted.has(number)) others.add(number - 1)
  // The types of pdf.js do not know that all types are allowed.
  const all = await document.getAnnotationsByType(null as never, others).catch(() => null)
  for (const given of (all as unknown[] | null) ?? []) {
    const { data } = annotationSchema.safeParse(given)
    if (data === undefined || isHidden(data)) continue
    const number = data.pageIndex + 1
    const list = found.get(number) ?? []
    if (list.length < mostPerPage * 3) list.push(data)
    found.set(number, list)
  }
  return found
}

/** Form fields, notes and links of a page as Markdown lists. */
export function formatAnnotations(annotations: readonly Annotation[], runs: readonly Run[], toPage: ToPage): string {
  const parts: string[] = []
  list('Form fields:', annotations.filter(isField).map(formatField))
  list('Notes:', annotations.filter(isNote).map(formatNote))
  list('Links:', [...new Set(annotations.filter(isLink).map((link) => formatLink(link, runs, toPage)))])
  return parts.join('\n\n')

  function list(title: string, items: readonly string[]): void {
    if (items.length === 0) return
    const left = items.length - mostPerPage
    const lines = items.slice(0, mostPerPage).map((item) => `- ${item}`)
    parts.push([title, ...lines, ...(left > 0 ? [`- and ${left} more`] : [])].join('\n'))
  }
}

/** Maps a rectangle of the file to the page as shown. */
export type ToPage = (rect: readonly number[]) => Box

/** Flag 2: hidden. Flag 32: not shown on a screen. */
function isHidden({ annotationFlags = 0 }: Annotation): boolean {
  return (annotationFlags & 34) !== 0
}

function isField({ subtype, fieldType, fieldName, pushButton }: Annotation): boolean {
  return subtype === 'Widget' && fieldType != null && fieldName != null && pushButton !== true
}

function formatField(field: Annotation): string {
  const { fieldName, alternativeText, fieldType, options = [] } = field
  const name =
    (alternativeText ?? '') === '' || alternativeText === fieldName ? '' : ` (${short(alternativeText ?? '')})`
  const choices = options.map(({ displayValue, exportValue }) => displayValue ?? exportValue ?? '')
  const choice = choices.length === 0 ? '' : `; options: ${choices.slice(0, 50).map(short).join(', ')}`
  if (fieldType === 'Sig') return `${short(fieldName ?? '')}${name}: signature field`
  return `${short(fieldName ?? '')}${name}: ${fieldText(field)}${choice}`
}

function fieldText({ fieldValue, checkBox, radioButton, exportValue, buttonValue, password }: Annotation): string {
  if (password === true) return '(password)'
  const value = Array.isArray(fieldValue) ? fieldValue.join(', ') : (fieldValue ?? '')
  if (checkBox === true) return value !== '' && value !== 'Off' && value === (exportValue ?? value) ? '[x]' : '[ ]'
  if (radioButton === true)
    return `${value !== '' && value === buttonValue ? '(x)' : '( )'} ${short(buttonValue ?? '')}`
  return value === '' ? '(empty)' : short(value)
}

/** Links, pop-ups and fields have no text. The text of a FreeText note is drawn on the page. */
function isNote({ subtype, contentsObj, hasAppearance }: Annotation): boolean {
  if (subtype === 'Widget' || subtype === 'Link' || subtype === 'Popup') return false
  return (
    contentsObj !== undefined && contentsObj.str.trim() !== '' && !(subtype === 'FreeText' && hasAppearance === true)
  )
}

function formatNote({ subtype = 'Note', titleObj, contentsObj }: Annotation): string {
  const author = titleObj === undefined || titleObj.str === '' ? '' : ` by ${short(titleObj.str)}`
  return `${subtype}${author}: ${short(contentsObj?.str ?? '')}`
}

function isLink({ subtype, url, unsafeUrl }: Annotation): boolean {
  return subtype === 'Link' && (url ?? unsafeUrl) !== undefined
}

function formatLink({ url, unsafeUrl = '', rect }: Annotation, runs: readonly Run[], toPage: ToPage): string {
  const target = short(url ?? unsafeUrl)
  const box = rect === undefined ? undefined : toPage(rect)
  const words = box === undefined ? [] : runs.filter((run) => isInside(box, run))
  const text = short(words.map((run) => run.text).join(' '))
  return text === '' || target.includes(text) ? target : `[${text}](${target})`
}

function isInside(box: Box, run: Run): boolean {
  const { x, y } = pagePoint(run)
  return contains(box, x, y)
}

function short(text: string): string {
  const plain = text.replace(/\s+/g, ' ').trim()
  return plain.length > mostLetters ? `${plain.slice(0, mostLetters)}…` : plain
}
