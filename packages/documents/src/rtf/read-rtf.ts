import { titleAndAuthor } from '../package/properties.ts'
import { type Block, type BlockDocument, tableBlocks } from '../text/blocks.ts'
import { linkSegments, renderSegments, type Segment } from '../text/inline.ts'
import { mergedAbove, mergedLeft, oneLine } from '../text/markdown.ts'
import { countOf } from '../text/parts.ts'
import { framedDestinations, namedCharacters, optionalDestinations, skippedDestinations } from './destinations.ts'
import { decodeRtf, type RtfFont } from './text-decoder.ts'
import { type RtfToken, rtfTokens } from './tokens.ts'

/** Formatting of a group, which ends with it. */
interface State {
  destination: string
  font: number
  unicodeSkip: number
  isBold: boolean
  isItalic: boolean
  isHidden: boolean
  change: Segment['change']
}

/** Text that is collected apart from the body: a footnote, a field, a header. */
interface Frame {
  depth: number
  kind: string
  segments: Segment[]
  outer: Segment[]
}

const maxDepth = 10_000

/** Reads a Rich Text Format document. */
export function readRtf(bytes: Buffer): BlockDocument {
  const blocks: Block[] = []
  const fonts = new Map<number, RtfFont>()
  const headings = new Map<number, number>()
  const margins = new Set<string>()
  const frames: Frame[] = []
  const stack: State[] = []
  let state: State = {
    destination: '',
    font: -1,
    unicodeSkip: 1,
    isBold: false,
    isItalic: false,
    isHidden: false,
    change: undefined,
  }
  let documentPage = 1252
  let segments: Segment[] = []
  let below: string[] = []
  let label = ''
  let pending: number[] = []
  let toSkip = 0
  let isOptional = false
  let isGroupStart = false
  let author = ''
  let instruction = ''
  let entry = { font: 0, charset: 0, style: -1 }
  const info: Record<string, string> = {}
  const seen = { pictures: 0, tables: 0, notes: 0, comments: 0, hasHidden: false, hasChanges: false }
  const paragraph = { heading: 0, style: -1, isInTable: false }
  let rows: string[][] = []
  let cells: string[] = []
  let merges: string[] = []
  let merge = ''

  function flushBytes(): void {
    if (pending.length === 0) return
    const text = decodeRtf(Uint8Array.from(pending), fonts.get(state.font), documentPage)
    pending = []
    write(text)
  }

  function write(text: string): void {
    if (state.destination === 'skip' || text === '') return
    if (state.isHidden) seen.hasHidden = true
    if (state.change !== undefined) seen.hasChanges = true
    const { isBold, isItalic, isHidden, change } = state
    segments.push({ text, isBold, isItalic, isHidden, change })
  }

  function isInFrame(): boolean {
    return frames.length > 0
  }

  function endParagraph(): void {
    flushBytes()
    if (isInFrame() || paragraph.isInTable) {
      segments.push({ text: '\n' })
      return
    }
    endTable()
    const heading = paragraph.heading > 0 ? paragraph.heading : headings.get(paragraph.style)
    pushBlock(takeText(heading !== undefined), heading)
  }

  function pushBlock(text: string, heading?: number): void {
    if (text !== '') blocks.push({ text, heading })
  }

  function takeText(isPlain = false): string {
    const text = renderSegments(segments, isPlain).trim()
    const notes = below
    const prefix = label
    segments = []
    below = []
    label = ''
    return [text === '' ? '' : `${prefix}${text}`, ...notes].filter((each) => each !== '').join('\n')
  }

  function endCell(): void {
    flushBytes()
    cells.push(takeText())
  }

  function endRow(): void {
    flushBytes()
    const left = takeText()
    if (left !== '') cells.push(left)
    rows.push(cells.map((cell, index) => (cell === '' ? (merges[index] ?? '') : cell)))
    cells = []
  }

  function endTable(): void {
    if (cells.length > 0) endRowOf()
    if (rows.length === 0) return
    seen.tables++
    const table = rows
    rows = []
    blocks.push(...tableBlocks(table))
  }

  function endRowOf(): void {
    rows.push(cells)
    cells = []
  }

  function openDestination(name: string): void {
    flushBytes()
    if (skippedDestinations.has(name) || (isOptional && !optionalDestinations.has(name))) {
      if (name === 'pict' && state.destination !== 'skip') {
        seen.pictures++
        segments.push({ text: '[picture]' })
      }
      state.destination = 'skip'
      return
    }
    if (state.destination === 'skip' || !framedDestinations.has(name)) return
    frames.push({ depth: stack.length, kind: name, segments, outer: segments })
    segments = []
    state = { ...state, destination: name, isBold: false, isItalic: false }
  }

  function closeFrame({ kind, outer }: Frame): void {
    const own = segments
    segments = outer
    const text = renderSegments(own).trim()
    switch (kind) {
      case 'fldinst':
        instruction = own.map((each) => each.text).join('')
        break
      case 'fldrslt': {
        const target = /HYPERLINK\s+(?:\\\w\s+)*"([^"]+)"/.exec(instruction)?.[1]
        instruction = ''
        if (target === undefined) segments.push(...own)
        else {
          const from = segments.length
          segments.push(...own)
          linkSegments(segments, from, target)
        }
        break
      }
      case 'footnote':
        seen.notes++
        segments.push({ text: `[^${seen.notes}]` })
        below.push(`[^${seen.notes}]: ${text}`)
        break
      case 'atnauthor':
        author = oneLine(text)
        break
      case 'annotation':
        seen.comments++
        below.push(`[comment by ${author === '' ? 'unknown' : author}: ${text}]`)
        break
      case 'listtext':
      case 'pntext': {
        const mark = own
          .map((each) => each.text)
          .join('')
          .trim()
        label = mark === '' ? '' : /^[\p{L}\p{N}([]/u.test(mark) ? `${mark} ` : '- '
        break
      }
      case 'shptxt':
        if (text !== '') below.push(`[text box] ${text}`)
        break
      case 'title':
      case 'author':
        info[kind] = text
        break
      default:
        if (/^(header|footer)/.test(kind) && text !== '') margins.add(`[${kind.slice(0, 6)}] ${text}`)
    }
  }

  function word(name: string, value: number | undefined): void {
    if (namedCharacters[name] !== undefined) return write(namedCharacters[name])
    const isOn = value !== 0
    switch (name) {
      case 'ansicpg':
        documentPage = value ?? 1252
        break
      case 'mac':
        documentPage = 10000
        break
      case 'f':
        if (state.destination === 'fonttbl') entry = { font: value ?? 0, charset: 0, style: -1 }
        else state.font = value ?? 0
        break
      case 'fcharset':
        entry.charset = value ?? 0
        break
      case 's':
        if (state.destination === 'stylesheet') entry = { ...entry, style: value ?? 0 }
        else paragraph.style = value ?? -1
        break
      case 'outlinelevel':
        if (state.destination !== 'stylesheet') paragraph.heading = (value ?? 9) < 9 ? (value ?? 0) + 1 : 0
        break
      case 'plain':
        Object.assign(state, { isBold: false, isItalic: false, isHidden: false, change: undefined })
        break
      case 'b':
        state.isBold = isOn
        break
      case 'i':
        state.isItalic = isOn
        break
      case 'v':
        state.isHidden = isOn
        break
      case 'deleted':
        state.change = isOn ? 'deleted' : undefined
        break
      case 'revised':
        state.change = isOn ? 'inserted' : undefined
        break
      case 'uc':
        state.unicodeSkip = Math.max(0, value ?? 1)
        break
      case 'u':
        write(String.fromCharCode(((value ?? 63) + 0x10000) % 0x10000))
        toSkip = state.unicodeSkip
        break
      case 'par':
      case 'sect':
      case 'page':
        if (state.destination !== 'skip') endParagraph()
        break
      case 'pard':
        if (!isInFrame()) Object.assign(paragraph, { heading: 0, style: -1, isInTable: false })
        break
      case 'intbl':
        if (!isInFrame()) paragraph.isInTable = true
        break
      case 'cell':
        if (!isInFrame()) endCell()
        break
      case 'nestcell':
        if (!isInFrame()) segments.push({ text: ' ; ' })
        break
      case 'nestrow':
        if (!isInFrame()) segments.push({ text: '\n' })
        break
      case 'trowd':
        merges = []
        merge = ''
        break
      case 'clmrg':
        merge = mergedLeft
        break
      case 'clvmrg':
        merge = mergedAbove
        break
      case 'cellx':
        merges.push(merge)
        merge = ''
        break
      case 'row':
        if (!isInFrame()) endRow()
        break
      default:
        if (skippedDestinations.has(name) || framedDestinations.has(name) || isOptional) openDestination(name)
    }
    return undefined
  }

  function fontOrStyle(text: string): void {
    const name = text.replace(/;.*$/s, '').trim()
    if (state.destination === 'fonttbl' && name !== '') fonts.set(entry.font, { charset: entry.charset, name })
    const level = /^heading (\d)$/i.exec(name)?.[1]
    if (state.destination === 'stylesheet' && level !== undefined && entry.style >= 0)
      headings.set(entry.style, Number(level))
  }

  function token(each: RtfToken): void {
    if (toSkip > 0 && (each.kind === 'byte' || each.kind === 'text')) {
      if (each.kind === 'byte') {
        toSkip--
        return
      }
      const skippedBytes = Math.min(toSkip, each.bytes.length)
      toSkip = 0
      token({ kind: 'text', bytes: each.bytes.subarray(skippedBytes) })
      return
    }
    if (each.kind !== 'byte' && each.kind !== 'text') toSkip = 0
    // A star marks a destination only at the start of a group.
    const isFirst = isGroupStart
    isGroupStart = each.kind === 'open'
    switch (each.kind) {
      case 'open':
        flushBytes()
        if (stack.length >= maxDepth) throw new Error('The document is nested too deeply.')
        stack.push({ ...state })
        isOptional = false
        break
      case 'close': {
        flushBytes()
        if (state.destination === 'fonttbl' || state.destination === 'stylesheet') {
          fontOrStyle(segments.map(({ text }) => text).join(''))
          segments = []
          entry = { font: 0, charset: 0, style: -1 }
        }
        while (frames.length > 0 && frames.at(-1)!.depth === stack.length) closeFrame(frames.pop()!)
        state = stack.pop() ?? state
        isOptional = false
        break
      }
      case 'byte':
        if (state.destination !== 'skip') pending.push(each.code)
        break
      case 'text':
        if (state.destination === 'skip') break
        for (const code of each.bytes) pending.push(code)
        // Fonts of old files are separated by a semicolon only.
        if (state.destination === 'fonttbl' && pending.at(-1) === 0x3b) {
          flushBytes()
          fontOrStyle(segments.map(({ text }) => text).join(''))
          segments = []
        }
        break
      case 'word':
        flushBytes()
        word(each.name, each.value)
        isOptional = false
        break
      case 'symbol':
        flushBytes()
        if (each.name === '*') isOptional = isFirst
        else if (each.name === '~') write('\u00A0')
        else if (each.name === '_') write('-')
        else if ('\\{}'.includes(each.name)) write(each.name)
        break
    }
  }

  for (const each of rtfTokens(bytes)) token(each)
  flushBytes()
  while (frames.length > 0) closeFrame(frames.pop()!)
  endTable()
  pushBlock(takeText())
  blocks.push(...[...margins].map((text) => ({ text })))
  return {
    blocks,
    facts: [
      titleAndAuthor(info['title'], info['author']),
      seen.tables > 0 && countOf(seen.tables, 'table'),
      seen.pictures > 0 && countOf(seen.pictures, 'picture'),
      seen.notes > 0 && countOf(seen.notes, 'note'),
      seen.comments > 0 && countOf(seen.comments, 'comment'),
      seen.hasChanges && 'tracked changes',
    ],
    notes: [
      seen.hasChanges && 'Tracked changes: {++inserted++}, {--deleted--}.',
      seen.hasHidden && 'Text marked [hidden: …] is hidden in the document.',
    ],
  }
}
