import { Lexer, Parser, type Rules, type Token, type Tokens, type TokensList } from 'marked'
import { markedOptions, mathAt, noNotes, type Notes, notesHtml, readNotesInto, tokenizer } from './marked-options.ts'

/** Block of an answer. `html` is unsanitized output of marked: only `SafeHtml` may render it. */
type MarkdownBlock = { kind: 'prose'; html: string } | { kind: 'code'; language: string; text: string }

interface Piece {
  raw: string
  block: MarkdownBlock | undefined
}

/**
 * Splits growing Markdown into blocks. Unchanged blocks keep their identity. While the text grows, only its last two
 * blocks are parsed again, so the cost of a delta does not grow with the answer.
 *
 * With `done` the whole text is parsed once more, because a link definition or footnote at its end affects earlier
 * text.
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

/** Returns the first word of the fence info, restricted to name characters. */
function languageOf(info: string | undefined): string {
  return /^[\w+#.-]{1,40}/.exec(info?.trim() ?? '')?.[0] ?? ''
}

/** Counts pieces that appended text cannot change: all but the last two non-blank ones. */
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

/**
 * Completes a block that is still streaming. Closes open bold, italic, code and strikethrough marks, and shows only the
 * text of a partial link. Works on one block outside of code fences.
 */
export function closeOpenMarks(text: string): string {
  const open: string[] = []
  let index = 0
  while (index < text.length) {
    const formula = '$\\'.includes(text[index] ?? ' ') ? mathAt(text.slice(index, index + 2000)) : undefined
    if (formula !== undefined) {
      index += formula.raw.length
      continue
    }
    const mark = /^(?:\\.|`+|\*{1,3}|~~|__?)/s.exec(text.slice(index, index + 80))?.[0]
    if (mark === undefined) {
      index++
      continue
    }
    if (mark.startsWith('`')) {
      const end = text.indexOf(mark, index + mark.length)
      if (end < 0) return text.slice(index + mark.length).trim() === '' ? text.slice(0, index) : text + mark
      index = end + mark.length
      continue
    }
    if (!mark.startsWith('\\')) toggle(open, mark, text, index)
    index += mark.length
  }
  return cutOpenLink(close(text, open))
}

function toggle(open: string[], mark: string, text: string, index: number): void {
  const before = text[index - 1] ?? ' '
  const after = text[index + mark.length] ?? ' '
  if (mark.startsWith('_') && /\w/.test(before) && /\w/.test(after)) return
  if (open.at(-1) === mark && !/\s/.test(before)) open.pop()
  else if (!/\s/.test(after) || index + mark.length === text.length) open.push(mark)
}

function close(text: string, open: string[]): string {
  let closed = text.trimEnd()
  if (open.length === 0) return text
  for (const mark of open.toReversed()) {
    // Drops a mark that nothing follows yet.
    if (closed.endsWith(mark)) closed = closed.slice(0, -mark.length).trimEnd()
    else closed += mark
  }
  return closed
}

function cutOpenLink(text: string): string {
  const link = /!?\[([^\][\n]*)\](?:\([^)\n]*)$/.exec(text)
  if (link !== null) return text.slice(0, link.index) + (link[1] ?? '')
  return text
}

/** Matches the tag names in marked's rules for paragraphs, quotes and tables. */
const blockTags = /\(\?:<\\\/\?\(\?:address\|.*?<!\\\[CDATA\\\[\)/g
/** Block markup starts a line, possibly after quote or list marks. */
const markupAtStart = /^[ \t>*+\-\d.)[\]xX]*</m

const all = Lexer.rules.block.gfm
const withoutTags = ({ source }: RegExp) => new RegExp(source.replaceAll(blockTags, '(?!)'))
const withoutMarkup: Rules['block'] = {
  ...all,
  html: /(?!)/,
  paragraph: withoutTags(all.paragraph),
  blockquote: withoutTags(all.blockquote),
  table: withoutTags(all.table),
}

/**
 * Returns the block rules. If no line can start with markup, omits the tag names. Compiling those takes 10 of 13 ms
 * before the first text appears.
 */
export function rulesFor(text: string): Rules['block'] {
  return markupAtStart.test(text) ? all : withoutMarkup
}
