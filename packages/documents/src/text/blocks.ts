import type { DocumentPart } from '@troupe/core'
import { type DocumentReading, maxCharacters } from '../reader.ts'
import { cleanText, tableLines } from './markdown.ts'
import { checkParts, countOf } from './parts.ts'

/** A paragraph, heading, list item or piece of a table: the unit that `offset` counts and `[¶ 12]` cites. */
export interface Block {
  /** Markdown. For a heading without the `#`. */
  text: string
  /** Level of a heading, from 1. */
  heading?: number | undefined
}

export interface BlockDocument {
  facts: readonly (string | undefined | false)[]
  notes?: readonly (string | undefined | false)[] | undefined
  blocks: readonly Block[]
}

const longestBlock = 8000
const outlineEntries = 200

/** The part of a text document that was asked for. A document of several answers starts with its outline. */
export function answerBlocks(document: BlockDocument, part: DocumentPart, title: string): DocumentReading {
  checkParts(part, title, ['offset', 'limit'], 'Use "offset" and "limit", which count paragraphs.')
  const blocks = document.blocks.flatMap(splitBlock)
  const facts = [countOf(blocks.length, 'paragraph'), ...present(document.facts)].join(', ')
  const notes = present(document.notes ?? [])
  if (part.outline === true) return { facts, notes, text: outlineOf(blocks).join('\n') }
  const { offset = 1, limit = Infinity } = part
  if (blocks.length === 0) return { facts, text: '', notes: [...notes, 'The document has no text.'] }
  if (offset > blocks.length)
    throw new Error(`The document has ${countOf(blocks.length, 'paragraph')}; there is none at offset ${offset}.`)
  const lines: string[] = []
  let characters = 0
  let at = offset - 1
  for (; at < blocks.length && at < offset - 1 + limit; at++) {
    const line = blockLine(blocks[at]!, at + 1)
    if (characters > 0 && characters + line.length > maxCharacters) break
    lines.push(line)
    characters += line.length + 1
  }
  const next = at < blocks.length ? { offset: at + 1 } : undefined
  const outline = offset === 1 && next !== undefined ? outlineOf(blocks) : []
  if (outline.length > 0) lines.unshift('Outline:', ...outline, '')
  return { facts, notes, text: lines.join('\n').trim(), next }
}

function blockLine({ text, heading }: Block, number: number): string {
  if (heading !== undefined) return `\n${'#'.repeat(Math.min(6, Math.max(1, heading)))} [¶ ${number}] ${text}`
  return `[¶ ${number}]${text.startsWith('|') ? '\n' : ' '}${text}`
}

function outlineOf(blocks: readonly Block[]): string[] {
  const headings = blocks.flatMap(({ text, heading }, index) => {
    if (heading === undefined) return []
    const name = text.length > 120 ? `${text.slice(0, 120)}…` : text
    return [`${'  '.repeat(Math.min(5, Math.max(0, heading - 1)))}- [¶ ${index + 1}] ${name.split('\n')[0]}`]
  })
  const left = headings.length - outlineEntries
  return left > 0 ? [...headings.slice(0, outlineEntries), `- … ${left} more headings`] : headings
}

/** Rows of a table as blocks that each repeat the head. */
export function tableBlocks(rows: readonly (readonly string[])[]): Block[] {
  const [head, line, ...rest] = tableLines(rows)
  if (head === undefined || line === undefined) return []
  const blocks: Block[] = []
  let lines = [head, line]
  let characters = head.length
  for (const row of rest) {
    if (characters + row.length > longestBlock / 2 && lines.length > 2) {
      blocks.push({ text: lines.join('\n') })
      lines = head.length > longestBlock / 8 ? [`|${' |'.repeat(rows[0]!.length)}`, line] : [head, line]
      characters = head.length
    }
    lines.push(row)
    characters += row.length
  }
  blocks.push({ text: lines.join('\n') })
  return blocks
}

/** Returns how many numbers these blocks get. */
export function countBlocks(blocks: readonly Block[]): number {
  return blocks.reduce((sum, block) => sum + splitBlock(block).length, 0)
}

function splitBlock(block: Block): Block[] {
  const text = cleanText(block.text).trimEnd()
  if (text.trim() === '') return []
  if (text.length <= longestBlock) return [{ ...block, text }]
  const pieces: Block[] = []
  for (let at = 0; at < text.length;) {
    let end = Math.min(text.length, at + longestBlock)
    // Break after a space if there is one, and never inside a character.
    const space = end < text.length ? text.lastIndexOf(' ', end) : -1
    if (space > at + longestBlock / 2) end = space + 1
    else if (end < text.length && /[\uDC00-\uDFFF]/.test(text[end]!)) end--
    pieces.push({ text: text.slice(at, end) })
    at = end
  }
  return pieces
}

export function present<T>(values: readonly (T | undefined | false)[]): T[] {
  return values.filter((value): value is T => value !== undefined && value !== false && value !== '')
}
