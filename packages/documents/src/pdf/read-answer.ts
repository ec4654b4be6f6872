import type { DocumentPart } from '@troupe/core'
import { formatPages } from './page-ranges.ts'
import { type DocumentSource, maxCharacters } from '../reader.ts'
import { drawScan } from './draw-page.ts'
import { toMatrix, identity, transformBox } from './geometry.ts'
import { type Eyes, openEyes } from './look-at-page.ts'
import type { OpenPdf } from './open-pdf.ts'
import { formatAnnotations, readAnnotations, type ToPage } from './page-annotations.ts'
import type { HiddenReason } from './run.ts'
import { type PageText, readPage, type Sizes } from './read-page.ts'

export interface Answer {
  text: string
  notes: string[]
  next?: DocumentPart | undefined
}

/** Pages recognized per answer, since one takes a second or more. */
const mostScans = 6

/** Reads as many of the pages as fit into one answer. `offset` is a line of the first page. */
export async function readAnswer(
  pdf: OpenPdf,
  source: DocumentSource,
  numbers: readonly number[],
  { offset = 1 }: DocumentPart,
): Promise<Answer> {
  const eyes = openEyes(source)
  try {
    return await readPages(pdf, source, numbers, offset, eyes)
  } finally {
    await eyes.close()
  }
}

async function readPages(
  pdf: OpenPdf,
  source: DocumentSource,
  numbers: readonly number[],
  offset: number,
  eyes: Eyes,
): Promise<Answer> {
  const pages: PageText[] = []
  const problems: string[] = []
  const scans: Scan[] = []
  const sizes: Sizes = new Map()
  let characters = 0
  let taken = 0
  for (const number of numbers) {
    if (taken > 0 && (characters > maxCharacters || source.isLate() || scans.length >= mostScans)) break
    taken++
    const page = await readPage(pdf, number, sizes, eyes.lookAt).catch((error: unknown) => {
      problems.push(`Page ${number} is damaged: ${(error as Error).message.replace(/\.$/, '')}.`)
    })
    if (page === undefined) continue
    pages.push(page)
    characters += page.text.length + 20
    if (page.text === '') scans.push(await scan(source, number, eyes))
  }
  const { document } = pdf
  const annotations = await readAnnotations(
    document,
    pages.map(({ number }) => number),
  )
  const texts: string[] = []
  for (const page of pages) {
    const found = annotations.get(page.number) ?? []
    const extra = found.length === 0 ? '' : formatAnnotations(found, page.runs, await pageMapper(pdf, page.number))
    const read = scans.find(({ number }) => number === page.number)?.text ?? ''
    texts.push([`[p. ${page.number}]`, page.text, read, extra].filter((part) => part !== '').join('\n'))
  }
  const damage = pdf.isRecovered ? ['The file is damaged. This is what could be recovered.'] : []
  const notes = [...damage, ...problems, ...hiddenNotes(pages), ...scanNotes(scans, source)]
  const left = numbers.slice(taken)
  const next = left.length === 0 ? undefined : { pages: formatPages(left, document.numPages) }
  return cutToSize(texts, { notes, next }, numbers.slice(0, taken), document.numPages, offset)
}

/** A single page may be longer than an answer. It continues at a line. */
function cutToSize(
  texts: readonly string[],
  { notes, next }: Omit<Answer, 'text'>,
  numbers: readonly number[],
  count: number,
  offset: number,
): Answer {
  const lines = texts
    .join('\n\n')
    .split('\n')
    .slice(offset - 1)
  if (lines.length === 0 && offset > 1) throw new Error(`There is no line ${offset} on these pages.`)
  let characters = 0
  const end = lines.findIndex((line) => (characters += line.length + 1) > maxCharacters * 1.5)
  if (end === -1) return { text: lines.join('\n'), notes, next }
  const kept = Math.max(1, end)
  const rest = [...numbers, ...(next === undefined ? [] : restOf(numbers, count))]
  return {
    text: lines
      .slice(0, kept)
      .join('\n')
      .slice(0, maxCharacters * 2),
    notes,
    next: { pages: formatPages(rest, count), offset: offset + kept },
  }
}

function restOf(numbers: readonly number[], count: number): number[] {
  const last = numbers.at(-1) ?? 0
  return Array.from({ length: Math.max(0, count - last) }, (_, index) => last + 1 + index)
}

async function pageMapper({ document }: OpenPdf, number: number): Promise<ToPage> {
  const { transform } = (await document.getPage(number)).getViewport({ scale: 1 })
  const matrix = toMatrix(transform) ?? identity
  return (rect) => transformBox(matrix, rect)
}

interface Scan {
  number: number
  text: string
  /** A picture was handed over for recognition. */
  isRecognized: boolean
  isBlank: boolean
}

/** Hands a page without text to text recognition, where that is installed. */
async function scan(source: DocumentSource, number: number, eyes: Eyes): Promise<Scan> {
  const nothing = { number, text: '', isRecognized: false, isBlank: false }
  if (source.recognize === undefined) return nothing
  try {
    const picture = await drawScan(await eyes.drawing(), number)
    if (picture === undefined) return { ...nothing, isBlank: true }
    return { ...nothing, text: source.recognize(picture), isRecognized: true }
  } catch {
    return nothing
  }
}

function scanNotes(scans: readonly Scan[], { recognize }: DocumentSource): string[] {
  const pages = (found: readonly Scan[]): string => pagesText(found.map(({ number }) => number))
  const recognized = scans.filter(({ isRecognized }) => isRecognized)
  const unread = scans.filter(({ isRecognized, isBlank }) => !isRecognized && !isBlank)
  const notes: string[] = []
  if (recognized.length > 0)
    notes.push(`${pages(recognized)} had no text. It was recognized from a picture and may have errors.`)
  if (unread.length > 0) {
    const how = recognize === undefined ? ' Install "tesseract" to have scans recognized, or use' : ' Use'
    notes.push(`${pages(unread)} had no text: scanned, drawn or blank.${how} "images": true to see the pages.`)
  }
  return notes
}

const reasons: Record<HiddenReason, string> = {
  outside: 'outside the visible page',
  invisible: 'drawn invisibly',
  layer: 'in a hidden layer',
  color: 'in the color of the background',
  covered: 'covered by something else',
}

function hiddenNotes(pages: readonly PageText[]): string[] {
  const notes: string[] = []
  for (const [reason, words] of Object.entries(reasons) as [HiddenReason, string][]) {
    const found = pages.filter(({ hidden }) => hidden.has(reason))
    if (found.length === 0) continue
    const count = found.reduce((sum, { hidden }) => sum + (hidden.get(reason) ?? 0), 0)
    notes.push(
      `${pagesText(found.map(({ number }) => number))}: ${count} word${count === 1 ? '' : 's'} ${words} ${count === 1 ? 'was' : 'were'} left out.`,
    )
  }
  const layers = pages.filter(({ isLayer }) => isLayer).map(({ number }) => number)
  if (layers.length > 0)
    notes.push(`${pagesText(layers)}: the text is an invisible layer over a picture, as text recognition makes it.`)
  const cut = pages.filter((page) => page.cut).map(({ number }) => number)
  if (cut.length > 0) notes.push(`${pagesText(cut)}: too much text; the rest was not read.`)
  return notes
}

function pagesText(numbers: readonly number[]): string {
  return `${numbers.length === 1 ? 'Page' : 'Pages'} ${formatPages(numbers)}`
}
