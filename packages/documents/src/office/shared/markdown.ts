import { lexer, type Token, type Tokens } from 'marked'

export interface Run {
  text: string
  bold?: boolean
  italic?: boolean
  strike?: boolean
  code?: boolean
  link?: string
  /** A line break instead of text. */
  isBreak?: boolean
  image?: { path: string; alt: string }
  /** Text of a footnote, referred to after this run. */
  footnote?: string
}

export type Block =
  | { kind: 'heading'; level: number; runs: Run[] }
  | { kind: 'paragraph'; runs: Run[]; isQuote?: boolean }
  /** `list` numbers the lists of a text: items of one list count on. */
  | { kind: 'item'; level: number; isOrdered: boolean; list: number; start: number; runs: Run[] }
  | { kind: 'table'; rows: Run[][][]; align: ('left' | 'center' | 'right' | null)[] }
  | { kind: 'code'; text: string }
  | { kind: 'rule' }
  | { kind: 'page-break' }

const maxBlocks = 20_000

/** Parses Markdown into blocks that every office format can show. A line `<!-- pagebreak -->` starts a page. */
export function parseMarkdown(markdown: string): Block[] {
  const { text, notes } = takeFootnotes(markdown.replaceAll('\r\n', '\n'))
  const blocks: Block[] = []
  const state = { lists: 0, notes }
  addBlocks(lexer(text), blocks, state, { level: 0, isQuote: false })
  if (blocks.length > maxBlocks) throw new Error('The Markdown is too long. Insert it in several actions.')
  return blocks
}

/** Parses one line of Markdown. */
export function parseInline(markdown: string): Run[] {
  const [block] = parseMarkdown(markdown)
  return block !== undefined && 'runs' in block ? block.runs : [{ text: markdown }]
}

interface State {
  lists: number
  notes: ReadonlyMap<string, string>
}

interface Place {
  level: number
  isQuote: boolean
}

function addBlocks(tokens: readonly Token[], blocks: Block[], state: State, place: Place): void {
  for (const token of tokens) addBlock(token, blocks, state, place)
}

function addBlock(token: Token, blocks: Block[], state: State, place: Place): void {
  switch (token.type) {
    case 'heading':
      blocks.push({ kind: 'heading', level: Number(token.depth), runs: runsOf(token.tokens ?? [], {}, state) })
      return
    case 'list':
      addList(token as Tokens.List, blocks, state, place)
      return
    case 'table':
      blocks.push(tableOf(token as Tokens.Table, state))
      return
    case 'code':
      blocks.push({ kind: 'code', text: String(token.text) })
      return
    case 'blockquote':
      addBlocks(token.tokens ?? [], blocks, state, { ...place, isQuote: true })
      return
    case 'hr':
      blocks.push({ kind: 'rule' })
      return
    case 'html':
      if (/^\s*<!--\s*page-?break\s*-->\s*$/i.test(token.raw)) blocks.push({ kind: 'page-break' })
      return
    case 'paragraph':
    case 'text': {
      const runs = runsOf(token.tokens ?? [token], {}, state)
      blocks.push(place.isQuote ? { kind: 'paragraph', runs, isQuote: true } : { kind: 'paragraph', runs })
      return
    }
    default:
  }
}

function addList(list: Tokens.List, blocks: Block[], state: State, place: Place): void {
  const number = ++state.lists
  for (const item of list.items) {
    const [first, ...rest] = item.tokens.filter(({ type }) => type !== 'space' && type !== 'checkbox')
    const isInline = first !== undefined && (first.type === 'text' || first.type === 'paragraph')
    const runs = isInline ? runsOf(('tokens' in first && first.tokens) || [first], {}, state) : []
    if (item.task) runs.unshift({ text: item.checked === true ? '☒ ' : '☐ ' })
    const { level } = place
    const start = typeof list.start === 'number' ? list.start : 1
    blocks.push({ kind: 'item', level, isOrdered: list.ordered, list: number, start, runs })
    addBlocks(isInline ? rest : item.tokens, blocks, state, { ...place, level: Math.min(8, level + 1) })
  }
}

function tableOf(token: Tokens.Table, state: State): Block {
  const cell = ({ tokens }: Tokens.TableCell): Run[] => runsOf(tokens, {}, state)
  return {
    kind: 'table',
    rows: [token.header.map(cell), ...token.rows.map((row) => row.map(cell))],
    align: token.align,
  }
}

type Style = Omit<Run, 'text'>

function runsOf(all: readonly Token[], style: Style, state: State): Run[] {
  return all.flatMap((token): Run[] => {
    const tokens = 'tokens' in token ? token.tokens : undefined
    const inner = (more: Style): Run[] => runsOf(tokens ?? [], { ...style, ...more }, state)
    switch (token.type) {
      case 'strong':
        return inner({ bold: true })
      case 'em':
        return inner({ italic: true })
      case 'del':
        return inner({ strike: true })
      case 'link':
        return inner({ link: String(token.href) })
      case 'codespan':
        return [{ ...style, text: unescape(String(token.text)), code: true }]
      case 'br':
        return [{ text: '', isBreak: true }]
      case 'image':
        return [{ text: '', image: { path: String(token.href), alt: String(token.text) } }]
      case 'html':
        return /^<br\s*\/?>$/i.test(token.raw.trim()) ? [{ text: '', isBreak: true }] : []
      case 'text':
        if (tokens !== undefined) return inner({})
        return withFootnotes(unescape(String(token.text)).replaceAll('\n', ' '), style, state)
      case 'escape':
        return [{ ...style, text: unescape(String(token.text)) }]
      default:
        return 'text' in token ? [{ ...style, text: String(token.text) }] : []
    }
  })
}

function withFootnotes(text: string, style: Style, { notes }: State): Run[] {
  const runs: Run[] = []
  let at = 0
  for (const match of text.matchAll(/\[\^([^\]\s]{1,50})\]/g)) {
    const footnote = notes.get(match[1]!)
    if (footnote === undefined) continue
    runs.push({ ...style, text: text.slice(at, match.index), footnote })
    at = match.index + match[0].length
  }
  runs.push({ ...style, text: text.slice(at) })
  return runs.filter(({ text: own, footnote }) => own !== '' || footnote !== undefined)
}

function takeFootnotes(markdown: string): { text: string; notes: Map<string, string> } {
  const notes = new Map<string, string>()
  const lines = markdown.split('\n').filter((line) => {
    const match = /^\[\^([^\]\s]{1,50})\]:\s*(.+)$/.exec(line)
    if (match === null) return true
    notes.set(match[1]!, match[2]!)
    return false
  })
  return { text: lines.join('\n'), notes }
}

const entities: Record<string, string> = { '&amp;': '&', '&lt;': '<', '&gt;': '>', '&quot;': '"', '&#39;': "'" }

function unescape(text: string): string {
  return text.replace(/&(?:amp|lt|gt|quot|#39);/g, (entity) => entities[entity] ?? entity)
}
