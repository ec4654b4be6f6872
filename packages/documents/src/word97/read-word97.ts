import type { CompoundFile } from '../ole/compound-file.ts'
import { modulesNote } from '../ole/macros.ts'
import type { Block, BlockDocument } from '../text/blocks.ts'
import { decodeCharset } from '../text/decode.ts'
import { oneLine } from '../text/markdown.ts'
import { countOf } from '../text/parts.ts'
import {
  characterRuns,
  type FormatRun,
  paragraphRuns,
  runAt,
  type CharacterFormat,
  type ParagraphFormat,
} from './formatting.ts'
import { decodePiece, type Piece, readPieces } from './pieces.ts'
import { type Story, type StoryContext, storyBlocks } from './story.ts'

/** Places of tables in the header of the document. */
const fields = {
  footnoteRefs: 2,
  footnoteTexts: 3,
  commentRefs: 4,
  commentTexts: 5,
  characters: 12,
  paragraphs: 13,
  pieces: 33,
  authors: 36,
  endnoteRefs: 46,
  endnoteTexts: 47,
}

const encrypted = 'The document is encrypted with a password. Ask for a copy without a password.'

/** Reads a Word document of the format that Word 97 to 2003 write. */
export function readWord97(file: CompoundFile): BlockDocument {
  const stream = file.stream('WordDocument')
  if (stream === undefined || stream.length < 0x20)
    throw new Error('The document is damaged: it has no text. Ask for another copy.')
  const flags = stream.readUInt16LE(0x0a)
  if ((flags & 0x100) !== 0) throw new Error(encrypted)
  const macros = modulesNote(file.entries, 'Macros')
  if (stream.readUInt16LE(2) < 0xc1) return { ...readWord6(stream), notes: [macros] }
  const table =
    file.stream((flags & 0x200) === 0 ? '0Table' : '1Table') ?? file.stream('1Table') ?? file.stream('0Table')
  if (table === undefined || stream.length < 0x1aa)
    throw new Error('The document is damaged: its text table is missing. Ask for another copy.')
  const part = (index: number): Buffer => {
    const at = 0x9a + index * 8
    if (at + 8 > stream.length) return Buffer.alloc(0)
    const start = stream.readUInt32LE(at)
    return table.subarray(start, start + stream.readUInt32LE(at + 4))
  }
  const place = (index: number): [number, number] => [
    stream.readUInt32LE(0x9a + index * 8),
    stream.readUInt32LE(0x9a + index * 8 + 4),
  ]
  const pieces = readPieces(part(fields.pieces))
  const paragraphs = paragraphRuns(stream, table, ...place(fields.paragraphs))
  const characters = characterRuns(stream, table, ...place(fields.characters))
  const counts = [0x4c, 0x50, 0x54, 0x58, 0x5c, 0x60, 0x64, 0x68].map((at) => Math.max(0, stream.readInt32LE(at)))
  const starts = counts.map((_, index) => counts.slice(0, index).reduce((sum, count) => sum + count, 0))
  const [main = 0, footnotes = 0, headers = 0, , comments = 0, endnotes = 0, boxes = 0, headerBoxes = 0] = counts
  const story = (index: number, from: number, to: number): Story =>
    textOf(stream, pieces, paragraphs, characters, (starts[index] ?? 0) + from, (starts[index] ?? 0) + to)
  const context: StoryContext = {
    notes: new Map(),
    seen: { tables: 0, pictures: 0, hasHidden: false, hasChanges: false },
  }
  const plain = (each: Story): string =>
    storyBlocks(each, context)
      .map(({ text }) => text.trim())
      .filter((text) => text !== '')
      .join('\n')
  const texts = (index: number, places: number[]): string[] =>
    places.slice(0, -1).map((from, at) => plain(story(index, from, Math.max(from, places[at + 1]!))))
  const notes = new Map<number, { mark: string; text: string }>()
  const footnoteTexts = footnotes === 0 ? [] : texts(1, positions(part(fields.footnoteTexts), 0))
  for (const [index, at] of positions(part(fields.footnoteRefs), 2).slice(0, -1).entries())
    notes.set(at, { mark: `[^${index + 1}]`, text: `[^${index + 1}]: ${footnoteTexts[index] ?? ''}` })
  const endnoteTexts = endnotes === 0 ? [] : texts(5, positions(part(fields.endnoteTexts), 0))
  for (const [index, at] of positions(part(fields.endnoteRefs), 2).slice(0, -1).entries())
    notes.set(at, { mark: `[^e${index + 1}]`, text: `[^e${index + 1}]: ${endnoteTexts[index] ?? ''}` })
  const commentTexts = comments === 0 ? [] : texts(4, positions(part(fields.commentTexts), 0))
  const references = part(fields.commentRefs)
  const authors = readAuthors(part(fields.authors))
  const commentPlaces = positions(references, 30).slice(0, -1)
  for (const [index, at] of commentPlaces.entries()) {
    const data = references.subarray((commentPlaces.length + 1) * 4 + index * 30)
    const author = data.length >= 22 ? authors[data.readUInt16LE(20)] : undefined
    notes.set(at, { mark: '', text: `[comment by ${author ?? 'unknown'}: ${commentTexts[index] ?? ''}]` })
  }
  const blocks: Block[] = storyBlocks(story(0, 0, main), { ...context, notes })
  const margins = new Set(
    headers === 0 ? [] : storyBlocks(story(2, 0, headers), context).map(({ text }) => text.trim()),
  )
  for (const text of margins) if (text !== '') blocks.push({ text: `[header or footer] ${text}` })
  for (const [index, count] of [
    [6, boxes],
    [7, headerBoxes],
  ] as const)
    if (count > 0)
      blocks.push(
        ...storyBlocks(story(index, 0, count), context)
          .filter(({ text }) => text.trim() !== '')
          .map(({ text }) => ({ text: `[text box] ${text}` })),
      )
  const { seen } = context
  const objects = new Set(file.entries.flatMap(({ path }) => /^ObjectPool\/([^/]+)$/.exec(path)?.[1] ?? []))
  return {
    blocks,
    facts: [
      seen.tables > 0 && countOf(seen.tables, 'table'),
      seen.pictures > 0 && countOf(seen.pictures, 'picture'),
      footnoteTexts.length + endnoteTexts.length > 0 && countOf(footnoteTexts.length + endnoteTexts.length, 'note'),
      commentTexts.length > 0 && countOf(commentTexts.length, 'comment'),
      objects.size > 0 && countOf(objects.size, 'embedded object'),
      seen.hasChanges && 'tracked changes',
    ],
    notes: [
      macros,
      seen.hasChanges && 'Tracked changes: {++inserted++}, {--deleted--}.',
      seen.hasHidden && 'Text marked [hidden: …] is hidden in the document.',
    ],
  }
}

/** The character positions of a table, which data of a fixed size follows. */
function positions(table: Buffer, dataSize: number): number[] {
  const count = Math.floor((table.length - 4) / (4 + dataSize))
  if (table.length < 4) return []
  return Array.from({ length: count + 1 }, (_, index) => table.readUInt32LE(index * 4))
}

function readAuthors(bytes: Buffer): string[] {
  const names: string[] = []
  for (let at = 0; at + 2 <= bytes.length && names.length < 10_000;) {
    const length = bytes.readUInt16LE(at)
    names.push(oneLine(bytes.toString('utf16le', at + 2, at + 2 + length * 2)))
    at += 2 + length * 2
  }
  return names
}

/** The characters between two positions, in stretches of one format. */
function textOf(
  stream: Buffer,
  pieces: readonly Piece[],
  paragraphs: readonly FormatRun<ParagraphFormat>[],
  characters: readonly FormatRun<CharacterFormat>[],
  from: number,
  to: number,
): Story {
  const runs: Story['runs'] = []
  for (const piece of pieces) {
    const first = Math.max(from, piece.from)
    const last = Math.min(to, piece.to)
    const width = piece.isWide ? 2 : 1
    for (let at = first; at < last;) {
      const place = piece.place + (at - piece.from) * width
      const format = runAt(characters, place)
      const end = format === undefined ? last : Math.min(last, at + Math.max(1, Math.ceil((format.to - place) / width)))
      const text = decodePiece(stream.subarray(place, place + (end - at) * width), piece.isWide)
      if (text === '') break
      runs.push({
        text,
        position: at - from,
        format: format?.format,
        paragraphAt: (index) => runAt(paragraphs, place + index * width)?.format,
      })
      at = end
    }
  }
  return { runs }
}

/** Word 6 and 95 store the text in one stretch of one byte per character, except in files saved in a hurry. */
function readWord6(stream: Buffer): BlockDocument {
  const from = stream.readUInt32LE(0x18)
  const to = Math.min(stream.length, from + (stream.length >= 0x38 ? Math.max(0, stream.readInt32LE(0x34)) : 0))
  const text = decodeCharset(stream.subarray(from, Math.max(from, to)), oldCharset(stream))
  const context: StoryContext = {
    notes: new Map(),
    seen: { tables: 0, pictures: 0, hasHidden: false, hasChanges: false },
  }
  return {
    blocks: storyBlocks({ runs: [{ text, position: 0, format: undefined, paragraphAt: () => undefined }] }, context),
    facts: ['Word 6 or 95'],
  }
}

/** The character set of an old document: that of Macintosh, or of its language. */
function oldCharset(stream: Buffer): string {
  if (stream.readUInt16LE(0x14) === 0x100) return 'macintosh'
  const language = stream.readUInt16LE(6) & 0x3ff
  return languageCharsets.get(language) ?? 'windows-1252'
}

const languageCharsets = new Map<number, string>([
  ...[0x19, 0x22, 0x23, 0x02, 0x2f].map((language) => [language, 'windows-1251'] as const),
  ...[0x05, 0x15, 0x0e, 0x18, 0x1b, 0x24, 0x1a].map((language) => [language, 'windows-1250'] as const),
  [0x08, 'windows-1253'],
  [0x1f, 'windows-1254'],
  [0x0d, 'windows-1255'],
  [0x01, 'windows-1256'],
  [0x11, 'shift_jis'],
  [0x12, 'euc-kr'],
  [0x04, 'gb18030'],
])
