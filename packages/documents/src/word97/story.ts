import { type Block, tableBlocks } from '../text/blocks.ts'
import { linkSegments, renderSegments, type Segment } from '../text/inline.ts'
import type { CharacterFormat, ParagraphFormat } from './formatting.ts'

/** A text of the document: the body, a footnote, the headers. */
export interface Story {
  runs: {
    text: string
    /** Number of its first character in the story. */
    position: number
    format: CharacterFormat | undefined
    /** Format of the paragraph that the character with this index in the run belongs to. */
    paragraphAt(index: number): ParagraphFormat | undefined
  }[]
}

export interface StoryContext {
  /** Notes and comments by the position of their mark. */
  notes: ReadonlyMap<number, { mark: string; text: string }>
  seen: { tables: number; pictures: number; hasHidden: boolean; hasChanges: boolean }
}

/** Turns a story into blocks. Control characters end paragraphs and cells and enclose fields. */
export function storyBlocks({ runs }: Story, { notes, seen }: StoryContext): Block[] {
  const blocks: Block[] = []
  const fields: { instruction: string; isResult: boolean; from: number }[] = []
  let segments: Segment[] = []
  let below: string[] = []
  let rows: string[][] = []
  let cells: string[] = []

  function take(isPlain = false): string {
    const text = renderSegments(segments, isPlain).trim()
    const lines = [text, ...below].filter((each) => each !== '')
    segments = []
    below = []
    for (const field of fields) field.from = 0
    return lines.join('\n')
  }

  function endTable(): void {
    if (cells.length > 0) rows.push(cells)
    cells = []
    if (rows.length === 0) return
    seen.tables++
    blocks.push(...tableBlocks(rows))
    rows = []
  }

  function endParagraph(format: ParagraphFormat | undefined): void {
    if (format?.isInTable === true) {
      segments.push({ text: '\n' })
      return
    }
    endTable()
    const heading = format !== undefined && format.style >= 1 && format.style <= 9 ? format.style : undefined
    const text = take(heading !== undefined)
    if (text === '') return
    const isList = format?.isList === true && heading === undefined
    blocks.push({ text: isList ? `${'  '.repeat(format.listLevel)}- ${text}` : text, heading })
  }

  function endCell(format: ParagraphFormat | undefined): void {
    const text = take()
    if (format === undefined) {
      // Without formats, an empty cell ends a row.
      if (text === '') {
        if (cells.length > 0) rows.push(cells)
        cells = []
      } else cells.push(text)
    } else if (format.isRowEnd) {
      rows.push(cells)
      cells = []
    } else cells.push(text)
  }

  function endField(): void {
    const field = fields.pop()
    const target = field === undefined ? undefined : /HYPERLINK\s+(?:\\\w\s+)*"([^"]+)"/.exec(field.instruction)?.[1]
    if (field?.isResult === true && target !== undefined) linkSegments(segments, field.from, target)
  }

  for (const { text, position, format, paragraphAt } of runs) {
    let start = 0
    const base: Segment = {
      text: '',
      isBold: format?.isBold ?? false,
      isItalic: format?.isItalic ?? false,
      isHidden: format?.isHidden ?? false,
      change: format?.isDeleted === true ? 'deleted' : format?.isInserted === true ? 'inserted' : undefined,
    }
    const add = (words: string): void => {
      if (words === '') return
      const field = fields.findLast(({ isResult }) => !isResult)
      if (field !== undefined) {
        if (field.instruction.length < 10_000) field.instruction += words
        return
      }
      if (base.isHidden === true && words.trim() !== '') seen.hasHidden = true
      if (base.change !== undefined) seen.hasChanges = true
      segments.push({ ...base, text: words })
    }
    for (let index = 0; index < text.length; index++) {
      const code = text.charCodeAt(index)
      if (code >= 0x20 || code === 9) continue
      add(text.slice(start, index))
      start = index + 1
      switch (code) {
        case 0x0d:
        case 0x0c:
          endParagraph(paragraphAt(index))
          break
        case 0x07:
          endCell(paragraphAt(index))
          break
        case 0x0b:
          add('\n')
          break
        case 0x13:
          fields.push({ instruction: '', isResult: false, from: segments.length })
          break
        case 0x14: {
          const field = fields.at(-1)
          if (field !== undefined) Object.assign(field, { isResult: true, from: segments.length })
          break
        }
        case 0x15:
          endField()
          break
        case 0x1e:
          add('-')
          break
        case 0x01:
          seen.pictures++
          add('[picture]')
          break
        case 0x02:
        case 0x05: {
          const note = notes.get(position + index)
          if (note === undefined) break
          add(note.mark)
          below.push(note.text)
          break
        }
      }
    }
    add(text.slice(start))
  }
  endTable()
  const last = take()
  if (last !== '') blocks.push({ text: last })
  return blocks
}
