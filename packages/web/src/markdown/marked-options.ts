import { Marked, type MarkedExtension, type MarkedOptions, Renderer, type Token, Tokenizer, type Tokens } from 'marked'

/** Footnotes of a text: their contents, and the numbers of referenced ones in order. */
export interface Notes {
  said: Map<string, Token[]>
  numbers: Map<string, number>
}

export function noNotes(): Notes {
  return { said: new Map(), numbers: new Map() }
}

let notes = noNotes()

export function readNotesInto(given: Notes): void {
  notes = given
}

const opening = /^\[\^([^\]\s]{1,60})\]:[ \t]*/
const reference = /^\[\^([^\]\s]{1,60})\](?!:)/
const indented = /^(?: {2,}|\t)/
/** Matches a line that continues the paragraph, rather than starting a new block. */
const goesOn = /^(?!\[\^|#|>|```|~~~|\||[-*+] |\d{1,9}[.)] )\s*\S/

/** GitHub footnotes: `[^name]` refers to `[^name]: …`. Undefined references stay text. */
const footnoteExtension: MarkedExtension = {
  extensions: [
    {
      name: 'footnote',
      level: 'block',
      start(text) {
        const at = text.indexOf('\n[^')
        return at === -1 ? undefined : at
      },
      tokenizer(text): Tokens.Generic | undefined {
        const [begin, name] = opening.exec(text) ?? []
        if (begin === undefined || name === undefined) return undefined
        const raw = rawNote(text)
        const said = raw.slice(begin.length).replaceAll(/\n(?: {1,4}|\t)/g, '\n')
        if (!notes.said.has(name)) notes.said.set(name, this.lexer.blockTokens(said, []))
        return { type: 'footnote', raw }
      },
      renderer: () => '',
    },
    {
      name: 'footnote-reference',
      level: 'inline',
      start(text) {
        const at = text.indexOf('[^')
        return at === -1 ? undefined : at
      },
      tokenizer(text): Tokens.Generic | undefined {
        const [raw, name] = reference.exec(text) ?? []
        if (raw === undefined || name === undefined || !notes.said.has(name)) return undefined
        const number = notes.numbers.get(name) ?? notes.numbers.size + 1
        notes.numbers.set(name, number)
        return { type: 'footnote-reference', raw, number }
      },
      renderer: (token) => `<sup class="footnote-reference">${Number(token['number'])}</sup>`,
    },
  ],
}

export function notesHtml({ said, numbers }: Notes, render: (tokens: Token[]) => string): string {
  const items = [...numbers.keys()].map((name) => `<li>${render(said.get(name) ?? [])}</li>\n`)
  return items.length === 0 ? '' : `<ol class="footnotes">\n${items.join('')}</ol>\n`
}

/** Returns the note's source. After a blank line, only indented lines belong to it. */
function rawNote(text: string): string {
  let end = lineEnd(text, 0)
  for (let from = end; from < text.length;) {
    const to = lineEnd(text, from)
    const line = text.slice(from, to)
    from = to
    if (line.trim() === '') continue
    const isAfterBlank = end < to - line.length
    if (!indented.test(line) && (isAfterBlank || !goesOn.test(line))) break
    end = to
  }
  return text.slice(0, end)
}

function lineEnd(text: string, from: number): number {
  const at = text.indexOf('\n', from)
  return at === -1 ? text.length : at + 1
}

interface Formula {
  raw: string
  tex: string
  /** True if it is on its own line. */
  display: boolean
}

const longest = 5000
const shapes: { shape: RegExp; display: boolean; isDollar?: true }[] = [
  { shape: /^\$\$((?:[^$\\]|\\[\s\S]|\$(?!\$))+?)\$\$/, display: true },
  { shape: /^\$((?:[^$\\\n]|\\[^\n])+?)\$(?![\d$])/, display: false, isDollar: true },
  { shape: /^\\\(([\s\S]+?)\\\)/, display: false },
  { shape: /^\\\[([\s\S]+?)\\\]/, display: true },
]

/** Returns the formula at the start of a text, in TeX delimiters. Ignores amounts of money. */
export function mathAt(text: string): Formula | undefined {
  const window = text.slice(0, longest)
  for (const { shape, display, isDollar } of shapes) {
    const [raw, tex] = shape.exec(window) ?? []
    if (raw === undefined || tex === undefined || tex.trim() === '') continue
    if (isDollar === true ? !isMeant(tex) : !hasSign(tex)) return undefined
    return { raw, tex: tex.trim(), display }
  }
  return undefined
}

/** `\\[link\\]` are escaped brackets. */
function hasSign(tex: string): boolean {
  return /[\\^_=+<>{}|*/\d-]/.test(tex) || /^\s*\p{L}{1,2}\s*$/u.test(tex)
}

/** `$5 and 10$` is money: it starts with an amount or contains no math symbol. */
function isMeant(tex: string): boolean {
  if (/^\s|\s$/.test(tex)) return false
  if (!/\s/.test(tex)) return tex.length <= 60 || /[\\^_=]/.test(tex)
  return (
    /[\\^_={}]/.test(tex) || (/[+<>|*/-]/.test(tex) && !/^\d[\d.,]*\s*\p{L}{2}/u.test(tex) && !/\p{L}{4}/u.test(tex))
  )
}

interface MathToken extends Tokens.Generic {
  type: 'math' | 'math-block'
  raw: string
  display: boolean
}

/** Tokenizes formulas, so their content is not parsed as Markdown. The source shows until the formula renders. */
const mathExtension: MarkedExtension = {
  extensions: [
    {
      name: 'math-block',
      level: 'block',
      start: (text) => /(?:^|\n) {0,3}(?:\$\$|\\\[)/.exec(text)?.index,
      tokenizer(text): MathToken | undefined {
        const indent = /^ {0,3}(?=\$\$|\\\[)/.exec(text)?.[0]
        if (indent === undefined) return undefined
        const formula = mathAt(text.slice(indent.length))
        if (formula === undefined) return undefined
        const rest = text.slice(indent.length + formula.raw.length)
        const end = /^[ \t]*(?:\n|$)/.exec(rest)?.[0]
        if (end === undefined) return undefined
        return { type: 'math-block', raw: indent + formula.raw + end, text: formula.raw, display: true }
      },
      renderer: (token) => `<p>${shown(token as MathToken)}</p>\n`,
    },
    {
      name: 'math',
      level: 'inline',
      start: (text) => /(?<![\w\\$])\$|\\[([]/.exec(text)?.index,
      tokenizer(text): MathToken | undefined {
        const formula = mathAt(text)
        return formula && { type: 'math', raw: formula.raw, text: formula.raw, display: formula.display }
      },
      renderer: (token) => shown(token as MathToken),
    },
  ],
}

function shown({ display, text }: MathToken): string {
  const source = String(text).replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
  return `<span class="${display ? 'math-display' : 'math-inline'}">${source}</span>`
}

const kept =
  'abbr|b|blockquote|br|cite|code|dd|del|details|dl|dt|em|h[1-6]|hr|i|ins|kbd|li|mark|ol|p|pre|q|s|samp|small|strong|sub|summary|sup|table|tbody|td|th|thead|tr|u|ul|var'
const plainTag = new RegExp(
  `<!--[\\s\\S]*?-->|</?(?:${kept})(?: open)?\\s*/?>|&(?:#\\d+|#x[\\da-f]+|\\w+);|[<>&"]`,
  'gi',
)
const escapes: Record<string, string> = { '<': '&lt;', '>': '&gt;', '&': '&amp;', '"': '&quot;' }

/**
 * Keeps text formatting tags without attributes, removes comments and escapes all other HTML. So no active markup
 * reaches a parser, even before sanitizing.
 */
export function keepPlainTags(html: string): string {
  return html.replaceAll(plainTag, (found) => {
    if (found.startsWith('<!--')) return ''
    return escapes[found] ?? found
  })
}

/** GitHub Flavored Markdown for answers. Headings start below the page's own. */
class AnswerRenderer extends Renderer {
  override heading({ tokens, depth }: Tokens.Heading): string {
    const level = Math.min(depth + 2, 6)
    return `<h${level}>${this.parser.parseInline(tokens)}</h${level}>\n`
  }

  override checkbox({ checked }: Tokens.Checkbox): string {
    return `<span class="${checked ? 'task-done' : 'task-open'}">${checked ? 'Done: ' : 'Open: '}</span>`
  }

  override html({ text }: Tokens.HTML | Tokens.Tag): string {
    return keepPlainTags(text)
  }

  /** Escapes text even after `<script>` and the like, where marked passes it through as markup. */
  override text(token: Tokens.Text | Tokens.Escape): string {
    return super.text('escaped' in token ? { ...token, escaped: false } : token)
  }

  /** Never fetches an image because an answer names it. Remote images become links. */
  override image({ href, text }: Tokens.Image): string {
    if (isOwnImage(href)) return `<img src="${escape(href)}" alt="${escape(text)}">`
    return `<a href="${escape(href)}">${escape(text === '' ? href : text)} (image)</a>`
  }
}

export function isOwnImage(address: string): boolean {
  return (
    /^data:image\/(?:png|jpeg|gif|webp);base64,[A-Za-z0-9+/=]+$/.test(address) ||
    /^\/ai\/blobs\/[0-9a-f]{64}$/.test(address)
  )
}

function escape(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;')
}

/** Each lexer assigns the rules for its text. */
export const tokenizer = new Tokenizer()

export const markedOptions: MarkedOptions = {
  ...new Marked(mathExtension, footnoteExtension).defaults,
  gfm: true,
  breaks: false,
  async: false,
  tokenizer,
  renderer: new AnswerRenderer(),
}
