import { Lexer, Parser } from 'marked'
import type { Token, Tokens, TokensList } from 'marked'
import { closeOpenMarks } from './close-open-marks.ts'
import { noNotes, notesHtml, readNotesInto, type Notes } from './footnotes.ts'
import { markedOptions, tokenizer } from './marked-options.ts'
import { rulesFor } from './rules-for.ts'

/** A block of an answer. `html` is what marked made of it and has not been sanitised yet: only `SafeHtml` may show it. */
export type MarkdownBlock = { kind: 'prose'; html: string } | { kind: 'code'; language: string; text: string }

interface Piece {
  raw: string
  block: MarkdownBlock | undefined
}

/**
 * Splits a growing markdown text into blocks. Blocks that did not change keep their identity, and while the text grows
 * only its last two blocks are read again, so the cost of a delta does not grow with the answer.
 *
 * With `done` the whole text is read once more, because a link definition or a footnote at its end reaches back.
 */
export function createSplitter(): (text: string, done: boolean) => MarkdownBlock[] {
  let known = ''
  let pieces: Piece[] = []
  let links: TokensList['links'] = {}
  let notes = noNotes()
  let finished = false

  return function split(source, done) {
    const text = source.replaceAll(/\r\n?/g, '\n')
    if (text === known && done === finished) return blocksOf(pieces, notes)
    const from = done || !text.startsWith(known) ? 0 : stablePieces(pieces)
    if (from === 0) {
      links = {}
      notes = noNotes()
    }
    readNotesInto(notes)
    const kept = pieces.slice(0, from)
    const keptLength = kept.reduce((length, piece) => length + piece.raw.length, 0)
    const next = readPieces(text.slice(keptLength), links, done)
    pieces = [...kept, ...reuse(next, pieces.slice(from))]
    known = text
    finished = done
    return blocksOf(pieces, notes)
  }
}

function readPieces(text: string, links: TokensList['links'], done: boolean): Piece[] {
  const tokens = lex(text, links)
  const last = tokens.findLastIndex((token) => token.type !== 'space')
  return tokens.map((token, index) => {
    if (done || index !== last) return { raw: token.raw, block: toBlock([token]) }
    return { raw: token.raw, block: toBlock(closed(token, links)) }
  })
}

/** The last token of an unfinished text, with the marks that are still open closed for the eye. */
function closed(token: Token, links: TokensList['links']): Token[] {
  if (['code', 'html', 'math-block'].includes(token.type)) return [token]
  const text = closeOpenMarks(token.raw)
  return text === token.raw ? [token] : lex(text, links)
}

function lex(text: string, links: TokensList['links']): Token[] {
  const lexer = new Lexer(markedOptions)
  tokenizer.rules = { ...tokenizer.rules, block: rulesFor(text) }
  lexer.tokens.links = links
  return [...lexer.lex(text)]
}

function toBlock(tokens: Token[]): MarkdownBlock | undefined {
  const [token] = tokens
  if (token === undefined || token.type === 'space' || token.type === 'def' || token.type === 'footnote')
    return undefined
  if (token.type === 'code') {
    const { lang, text } = token as Tokens.Code
    return { kind: 'code', language: languageOf(lang), text }
  }
  return { kind: 'prose', html: Parser.parse(tokens, markedOptions) }
}

/** The name of a language as the fence gives it: its first word, nothing that could be more than a name. */
function languageOf(info: string | undefined): string {
  return /^[\w+#.-]{1,40}/.exec(info?.trim() ?? '')?.[0] ?? ''
}

/** How many pieces cannot change any more when text is appended: all but the last two that are not blank. */
function stablePieces(pieces: Piece[]): number {
  let seen = 0
  for (let index = pieces.length - 1; index >= 0; index--) {
    if (pieces[index]?.block !== undefined && ++seen === 2) return index
  }
  return 0
}

function reuse(next: Piece[], old: Piece[]): Piece[] {
  return next.map((piece, index) => {
    const before = old[index]
    return before !== undefined && same(before.block, piece.block) ? { raw: piece.raw, block: before.block } : piece
  })
}

function same(a: MarkdownBlock | undefined, b: MarkdownBlock | undefined): boolean {
  if (a === undefined || b === undefined) return a === b
  if (a.kind === 'prose') return b.kind === 'prose' && a.html === b.html
  return b.kind === 'code' && a.language === b.language && a.text === b.text
}

function blocksOf(pieces: Piece[], notes: Notes): MarkdownBlock[] {
  const html = notesHtml(notes, (tokens) => Parser.parse(tokens, markedOptions))
  return [...pieces.flatMap((piece) => piece.block ?? []), ...(html === '' ? [] : [{ kind: 'prose' as const, html }])]
}
