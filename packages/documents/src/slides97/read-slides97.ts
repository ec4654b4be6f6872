import type { CompoundFile } from '../ole/compound-file.ts'
import { oneLine, tableLines } from '../text/markdown.ts'
import type { PagedDocument } from '../text/pages.ts'
import { type PptRecord, recordAt, recordsIn } from './records.ts'
import { tableCells, tableRows } from './table.ts'

/** Types of the records that are read. */
const type = {
  slideList: 0x0ff0,
  slidePlace: 0x03f3,
  slideFacts: 0x03ef,
  slideShow: 0x03f9,
  textKind: 0x0f9f,
  wideText: 0x0fa0,
  narrowText: 0x0fa8,
  outlineText: 0x0f9e,
  edit: 0x0ff5,
} as const

const encryptedMark = 0xf3d1c4df
const maxEdits = 10_000
const maxDepth = 50

interface TextPiece {
  isTitle: boolean
  /** Lines of text, or of a table in Markdown. */
  text: string
}

interface SlidePlace {
  persist: number
  id: number
  /** Texts of the outline, which shapes of the slide refer to by number. */
  outline: TextPiece[]
}

/** Reads a presentation of the format that PowerPoint 97 to 2003 write. */
export function readSlides97(file: CompoundFile): PagedDocument {
  // Files that PowerPoint 95 can open, too, have the newer format in a folder.
  const folder = file.has('PP97_DUALSTORAGE/PowerPoint Document') ? 'PP97_DUALSTORAGE/' : ''
  const stream = file.stream(`${folder}PowerPoint Document`)
  const user = file.stream(`${folder}Current User`)
  if (stream === undefined) throw new Error('The presentation is damaged: it has no slides. Ask for another copy.')
  if (user !== undefined && user.length >= 20 && user.readUInt32LE(12) === encryptedMark)
    throw new Error('The presentation is encrypted with a password. Ask for a copy without a password.')
  const { places, document } = readPlaces(stream, user !== undefined && user.length >= 20 ? user.readUInt32LE(16) : 0)
  if (document === undefined)
    throw new Error(
      'The presentation is damaged or was saved by PowerPoint 95 or earlier. Convert it with LibreOffice: soffice --headless --convert-to pptx.',
    )
  const lists = recordsIn(document.body).filter((record) => record.type === type.slideList)
  const slides = lists.filter(({ instance }) => instance === 0).flatMap(({ body }) => slidePlaces(body))
  const notes = new Map(
    lists
      .filter(({ instance }) => instance === 2)
      .flatMap(({ body }) => slidePlaces(body))
      .map((place) => [place.id, place]),
  )
  const contents = slides.map((place) => recordAt(stream, places.get(place.persist) ?? stream.length))
  const hidden = contents.flatMap((record, index) => (record !== undefined && isHidden(record) ? [index + 1] : []))
  return {
    unit: 'slide',
    count: slides.length,
    facts: [hidden.length > 0 && `${hidden.length} hidden`],
    notes: [hidden.length > 0 && `Hidden slides: ${hidden.slice(0, 100).join(', ')}.`],
    page(number) {
      const place = slides[number - 1]!
      const record = contents[number - 1]
      const pieces = record === undefined ? place.outline : textsOf(record.body, place.outline)
      const title = pieces.find(({ isTitle }) => isTitle)
      const lines = pieces.filter((piece) => piece !== title).flatMap(({ text }) => text.split('\n'))
      const head = `## [slide ${number}] ${oneLine(title?.text ?? '')}`.trimEnd()
      const note = record === undefined ? undefined : notes.get(notesId(record))
      const noteRecord = note === undefined ? undefined : recordAt(stream, places.get(note.persist) ?? stream.length)
      const noteText =
        noteRecord === undefined
          ? ''
          : textsOf(noteRecord.body, note?.outline ?? [])
              .map(({ text }) => text)
              .join('\n')
              .trim()
      return [
        `${head}${hidden.includes(number) ? ' (hidden)' : ''}`,
        ...lines.filter((line) => line.trim() !== ''),
        ...(noteText === '' ? [] : [`Notes: ${noteText}`]),
      ].join('\n')
    },
  }
}

/** Offset of each object in the stream. Each time the file was saved added a list, and the newest place counts. */
function readPlaces(stream: Buffer, last: number): { places: Map<number, number>; document: PptRecord | undefined } {
  const places = new Map<number, number>()
  let documentId: number | undefined
  let at = last
  for (let edits = 0; edits < maxEdits; edits++) {
    const edit = recordAt(stream, at)
    if (edit?.type !== type.edit || edit.body.length < 20) break
    documentId ??= edit.body.readUInt32LE(16)
    const list = recordAt(stream, edit.body.readUInt32LE(12))
    if (list !== undefined) addPlaces(places, list.body)
    const before = edit.body.readUInt32LE(8)
    if (before === 0 || before >= at) break
    at = before
  }
  return {
    places,
    document: documentId === undefined ? undefined : recordAt(stream, places.get(documentId) ?? stream.length),
  }
}

function addPlaces(places: Map<number, number>, list: Buffer): void {
  for (let at = 0; at + 4 <= list.length;) {
    const head = list.readUInt32LE(at)
    const first = head & 0xfffff
    at += 4
    for (let index = 0; index < head >>> 20 && at + 4 <= list.length; index++, at += 4)
      if (!places.has(first + index)) places.set(first + index, list.readUInt32LE(at))
  }
}

function slidePlaces(list: Buffer): SlidePlace[] {
  const slides: SlidePlace[] = []
  let isTitle = false
  for (const record of recordsIn(list)) {
    if (record.type === type.slidePlace && record.body.length >= 16)
      slides.push({ persist: record.body.readUInt32LE(0), id: record.body.readUInt32LE(12), outline: [] })
    else if (record.type === type.textKind) {
      isTitle = isTitleKind(record)
      // A text without characters has a kind, too, and counts.
      slides.at(-1)?.outline.push({ isTitle, text: '' })
    } else {
      const piece = slides.at(-1)?.outline.at(-1)
      const text = textOf(record)
      if (piece !== undefined && text !== undefined) piece.text = text
    }
  }
  return slides
}

/** The texts and tables in the shapes of a slide, in their order. */
function textsOf(body: Buffer, outline: readonly TextPiece[], depth = 0): TextPiece[] {
  const pieces: TextPiece[] = []
  let isTitle = false
  for (const record of recordsIn(body)) {
    const text = textOf(record)
    if (record.type === type.textKind) isTitle = isTitleKind(record)
    else if (record.type === type.outlineText && record.body.length >= 4) {
      const piece = outline[record.body.readUInt32LE(0)]
      if (piece !== undefined) pieces.push(piece)
    } else if (text !== undefined) pieces.push({ isTitle, text })
    else if (record.isContainer && depth < maxDepth)
      pieces.push(...(tableOf(record, outline) ?? textsOf(record.body, outline, depth + 1)))
  }
  return pieces.filter(({ text }) => text.trim() !== '' && text.trim() !== '*')
}

function tableOf(group: PptRecord, outline: readonly TextPiece[]): TextPiece[] | undefined {
  const cells = tableCells(group)
  const rows =
    cells &&
    tableRows(cells, ({ shape }) =>
      textsOf(shape, outline)
        .map(({ text }) => text)
        .join('\n')
        .trim(),
    )
  if (rows === undefined) return undefined
  const isEmpty = rows.every((row) => row.every((text) => text === ''))
  return isEmpty ? [] : [{ isTitle: false, text: tableLines(rows).join('\n') }]
}

function isTitleKind({ body }: PptRecord): boolean {
  const kind = body.length >= 4 ? body.readUInt32LE(0) : -1
  return kind === 0 || kind === 6
}

function textOf({ type: kind, body }: PptRecord): string | undefined {
  if (kind !== type.wideText && kind !== type.narrowText) return undefined
  return body
    .toString(kind === type.wideText ? 'utf16le' : 'latin1')
    .replaceAll('\r', '\n')
    .replaceAll('\u000B', ' ')
}

function isHidden({ body }: PptRecord): boolean {
  const show = recordsIn(body).find((record) => record.type === type.slideShow)
  return show !== undefined && show.body.length >= 12 && (show.body.readUInt16LE(10) & 4) !== 0
}

function notesId({ body }: PptRecord): number {
  const facts = recordsIn(body).find((record) => record.type === type.slideFacts)
  return facts !== undefined && facts.body.length >= 20 ? facts.body.readUInt32LE(16) : 0
}
